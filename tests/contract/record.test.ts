/** What is stored: the log that the contract asks for, and secrets only under SECRET#. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { loadAncestryTree } from "../../lib/app/hunts/ancestry.ts";
import { NEW_GAME } from "../../lib/domain/clock.ts";
import type { Database, StoredItem } from "../../lib/dynamodb/database.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { interactionItem } from "../../lib/store/items.ts";
import { logsList } from "../../lib/store/keys.ts";
import { openStore } from "../../lib/store/store.ts";
import type { RequestOptions, Result, Someone } from "../support/service.ts";
import { raw } from "./bodies.ts";
import { ENDPOINTS } from "./seed.ts";
import { watchedEnvironment } from "./support.ts";

const w = watchedEnvironment();
const { s } = w;

const PASSWORD = "correct horse battery";

const secretOf = ({ token }: Someone): string => token.slice(-43);

/** The log entries since the last call, oldest first. */
const newEntries = () => {
  let seen = 0;
  return async (): Promise<StoredItem[]> => {
    const { items } = await w.engine().query({ pk: logsList(0) }, 1_000);
    const fresh = items.slice(seen);
    seen = items.length;
    return fresh;
  };
};

describe("the log", () => {
  it("has one entry for every call of an administrator, also a rejected one, under its request id", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const fresh = newEntries();
    await fresh();
    for (const { route } of ENDPOINTS.filter(({ access }) => access === "administrator")) {
      const action = route.split("/").at(-2);
      const isPost = route.startsWith("POST ");
      const calls = [
        { options: isPost ? raw("{") : { query: { nonsense: "1" } }, outcome: "invalid_request" },
        ...(/corpsify|cure|revive_[hz]|feed_player/.test(route)
          ? [{ options: { body: { alias: "Nobody" } }, outcome: "player_not_found" }]
          : []),
        ...(/cure|revive_[hz]|feed_player/.test(route)
          ? [{ options: { body: { alias: "Ada" } }, outcome: "wrong_state" }]
          : []),
        ...(/pause|resume|zombies_add_day|player_count|get_players/.test(route)
          ? [{ options: {}, outcome: "done" }]
          : []),
      ];
      for (const { options, outcome } of calls) {
        const result = await s.call(route, { as: gm, ...options });
        const entries = await fresh();
        expect(entries, `${route} ${outcome}: ${result.text}`).toHaveLength(1);
        expect(entries[0], route).toMatchObject({
          action,
          outcome,
          actor: gm.id,
          target: outcome === "wrong_state" ? ada.id : null,
          request_id: result.headers["x-request-id"],
        });
      }
    }
  });
});

describe("the table", () => {
  it("has secrets under SECRET# alone, and tokens and passwords nowhere", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    await s.hunt(ada, ben);
    const registration = { alias: "Cleo", password: "a secret of Cleo's" };
    await s.call("POST /new", { body: registration, key: "k" });
    await s.call("POST /change_password", {
      body: { alias: "Ben", current_password: PASSWORD, new_password: "a secret of Ben's" },
    });
    const items = (await w.scan()).split("\n");
    expect(items.length).toBeGreaterThan(30);
    for (const item of items) {
      const secrets = [PASSWORD, "secret of Cleo", "secret of Ben", ada.token, ...[ada, gm].map(secretOf)];
      for (const secret of secrets) expect(item).not.toContain(secret);
      const { pk } = JSON.parse(item);
      if (/argon2|"sessions"|"fingerprint"|"hash"/.test(item)) expect(pk).toMatch(/^SECRET#/);
      // In which list of an index it lies must not tell either.
      for (const list of ["gsi1pk", "gsi2pk", "gsi3pk"]) {
        if (String(pk).startsWith("SECRET#")) expect(JSON.parse(item)[list] ?? "SECRET#").toMatch(/^SECRET#/);
      }
    }
  });

  it.each(["by the player", "by a game master"])(
    "has nothing personal of a player who was deleted %s, also not in stored responses",
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
});

describe("the tree below one infection", () => {
  it("counts the kills of every node that it shows, also where it cannot show all", async () => {
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
});
