/** What is stored of a deleted player, and the size of what is read for a tree. The log is in tests/battery/model. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { loadAncestryTree } from "../../lib/app/hunts/ancestry.ts";
import { NEW_GAME } from "../../lib/domain/clock.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { interactionItem } from "../../lib/store/items.ts";
import { openStore } from "../../lib/store/store.ts";
import type { RequestOptions, Result } from "../support/service.ts";
import { PASSWORD } from "./bodies.ts";
import { watchedEnvironment } from "./support.ts";

const w = watchedEnvironment();
const { s } = w;

it.each(["by the player", "by a game master"])(
  "the table has nothing personal of a player who was deleted %s, also not in stored responses",
  async (how) => {
    const gm = await s.admin();
    const must = (route: string, options: RequestOptions): Promise<Result> =>
      s.must(route, { key: randomUUID(), ...options });
    const names = { alias: "Wilhelmina", first_name: "Mina", last_name: "Harker" };
    await must("POST /new", { body: { ...names, password: PASSWORD, email: "mina@example.org" } });
    const mina = { ...(await s.login("Wilhelmina", PASSWORD)), code: null };
    const zed = await s.join("Zed");
    await s.outbreak(gm, zed);
    const ref = { player_id: mina.id };
    const admin = (word: string, more: Record<string, unknown> = ref) =>
      must(`POST /admin/${word}/{url_id}`, { as: gm, body: more });
    // She is in the responses that others got: as prey, hunter, sharer, infector and target.
    const { tag_code } = await s.see(mina);
    const hunt = await must("POST /zombie/hunt/{url_id}", { as: zed, body: { tag_code } });
    const [prey, other] = [await s.join("Prey"), await s.join("Other")];
    await must("POST /zombie/hunt/{url_id}", {
      as: mina,
      body: { tag_code: prey.code, note: "a note of hers", share_with: ["Zed"] },
    });
    await must("POST /zombie/hunt/{url_id}", {
      as: zed,
      body: { tag_code: other.code, share_with: ["Wilhelmina"] },
    });
    await admin("feed_player");
    await admin("feed_player", { player_id: prey.id });
    for (const n of [3, 60]) await admin("feed", { n });
    await admin("set_checkpoint", { name: "The gate" });
    await admin("player_at_checkpoint");
    const { interaction_id } = hunt.body.interaction;
    await admin("void_hunt", { interaction_id, reason: "A mistake." });
    await admin("corpsify");
    await admin("revive_z");
    await admin("cure");
    await admin("edit_player", { ...ref, clear_picture: true });
    await must("POST /edit_player/{url_id}", { as: mina, body: { alias: "Wilhelmina II" } });
    await admin("edit_player", { ...ref, alias_to: "Wilma" });
    expect(await w.scan()).toMatch(/Wilma.*mina@example\.org|mina@example\.org.*Wilma/);
    if (how === "by the player") await s.call("DELETE /delete_player/{url_id}", { as: mina });
    else await admin("remove_player");
    expect((await s.call("GET /player/{url_id}", { as: mina })).status).toBe(403);
    for (const item of (await w.scan()).split("\n")) {
      expect(item).not.toMatch(/wilhelmina|wilma|mina|harker|a note of hers/i);
      // Neither the hash of her password, nor sessions, nor subscriptions, nor stored responses.
      expect(JSON.parse(item).pk).not.toMatch(new RegExp(`^SECRET#(ONCE#)?${mina.id}`));
    }
    // The name is free again, in every form that it had.
    for (const alias of ["Wilhelmina", "Wilma", "wilhelmina ii"]) {
      expect((await s.call("POST /new", { body: { alias, password: PASSWORD } })).status, alias).toBe(201);
    }
  },
);

it("the tree below one infection counts the kills of every node that it shows, also where it cannot show all", async () => {
  const id = (at: number) => `01900000-0000-7000-8000-${String(at).padStart(12, "0")}`;
  const of = (n: number, parent: number | null) => {
    const at = new Date(1e12 + n * 1_000).toISOString();
    const ids = { interaction_id: id(n), parent: parent === null ? null : id(parent), target: `p${n}` };
    return interactionItem({ ...ids, kind: "hunt", at, recorded_at: at, actor: null }, 0);
  };
  // One who infected 10,001, the first of whom infected three.
  const children = Array.from({ length: 10_001 }, (_, at) => of(at + 1, 0));
  const all = [of(0, null), ...children, ...[20_001, 20_002, 20_003].map((at) => of(at, 1))];
  const byPk = Map.groupBy(all, ({ gsi2pk }) => String(gsi2pk));
  const items = new Map(all.map((item) => [`${item.pk} ${item.sk}`, item]));
  const get = (key: Key) => items.get(`${key.pk} ${key.sk}`);
  const db: Pick<Database, "get" | "getMany" | "query"> = {
    get: async (key) => get(key),
    getMany: async (all) => all.map(get).filter((item) => item !== undefined),
    query: async ({ pk }) => ({ items: byPk.get(pk) ?? [], next: undefined }),
  };
  const store = openStore(db as Database);
  const tree = await loadAncestryTree(
    { store, game: NEW_GAME, now: Date.now(), hidden: undefined },
    { root: id(0), depth: 200 },
  );
  expect(tree).toMatchObject({ size: 10_000, truncated: true });
  expect(tree.roots[0]?.kills).toBe(10_001);
  expect(tree.roots[0]?.children[0]?.kills).toBe(3);
});
