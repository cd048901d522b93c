/** The recount: it finds nothing in a game that was only played, and whatever else has been done to the table. */
import { randomUUID } from "node:crypto";
import { DeleteItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { MOST_SUBSCRIPTIONS } from "../../../lib/domain/push.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import { keys } from "../../../lib/store/keys.ts";
import { endpointHash } from "../../../lib/store/subscriptions.ts";
import { localTarget, type Target } from "../../../scripts/archive/target.ts";
import type { DifferenceKind } from "../../../scripts/recount/audit/difference.ts";
import { type Recount, type RecountOptions, recount } from "../../../scripts/recount/recount.ts";
import { formatReport, formatReportJson, isClean } from "../../../scripts/recount/report.ts";
import { drawnOf } from "../../support/battery.ts";
import { type Played, playGame } from "../../support/playedGame.ts";
import { drift } from "../../support/recount.ts";
import { QUICK, stage } from "../../support/service.ts";
import { fillSubscriptions } from "../../support/subscribers.ts";
import { fill, scan } from "../../support/table.ts";

const s = stage();

const target = (): Target => localTarget({ ...s.place(), region: "local" });

/** A recount of a game that stands still, and so need not be waited for. */
const still = (options: RecountOptions = {}): Promise<Recount> =>
  recount(target(), { ...options, pauseMs: 0 });

const put = async (item: StoredItem): Promise<void> => {
  const { client, table } = target();
  const Item = marshall(item, { removeUndefinedValues: true });
  await client.send(new PutItemCommand({ TableName: table, Item }));
  client.destroy();
};

const remove = async ({ pk, sk }: Key): Promise<void> => {
  const { client, table } = target();
  await client.send(new DeleteItemCommand({ TableName: table, Key: marshall({ pk, sk }) }));
  client.destroy();
};

const sorted = (items: StoredItem[]): StoredItem[] =>
  items.toSorted((one, other) => (`${one.pk} ${one.sk}` < `${other.pk} ${other.sk}` ? -1 : 1));

/** What a table says, without the counts of writes and the slots of counters. */
const said = async (): Promise<unknown> => {
  const items = await scan(s);
  const counters: Record<string, number> = { humans: 0, zombies: 0, corpses: 0, spectators: 0 };
  for (const { pk, sk: _, ...counts } of items.filter(({ pk }) => pk.startsWith("COUNT#"))) {
    for (const [name, count] of Object.entries(counts))
      counters[name] = (counters[name] ?? 0) + Number(count);
  }
  const others = items.filter(({ pk }) => !pk.startsWith("COUNT#"));
  return { counters, items: sorted(others).map(({ rev: _, ...item }) => item) };
};

let played: Played;

const item = async (key: Key): Promise<StoredItem> => {
  const found = await s.store.db.get(key);
  if (found === undefined) throw new Error(`${key.pk} ${key.sk} is not there`);
  return found;
};

const change = async (key: Key, by: Record<string, unknown>): Promise<void> =>
  put({ ...(await item(key)), ...by });

const infectionOf = async (kind: string, actor?: string): Promise<StoredItem> => {
  const found = sorted(await scan(s)).find(
    (one) => one.kind === kind && (actor === undefined || one.actor === actor),
  );
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
};

const subscriptionOf = async (id: string): Promise<StoredItem> => {
  const found = sorted(await scan(s)).find(
    ({ pk, sk }) => pk === `SECRET#${id}` && sk.startsWith("SUBSCRIPTION#"),
  );
  if (found === undefined) throw new Error("no subscription");
  return found;
};

const guardOf = (subscription: StoredItem): Key => keys.endpoint(endpointHash(String(subscription.endpoint)));

/** A damage: what it is done to, and what of it is found. `restored` when mending gives the same table again. */
interface Damage {
  name: string;
  plant: () => Promise<unknown>;
  found: DifferenceKind[];
  restored: boolean;
}

const player = (who: keyof Played): Key => keys.player(played[who].id);

const DAMAGES: readonly Damage[] = [
  {
    name: "a counter too high",
    plant: () => s.store.commit([{ increase: keys.count(0, 3), by: { humans: 2 } }], () => 5_000),
    found: ["counter"],
    restored: true,
  },
  {
    name: "two counters, one of them below nothing",
    plant: () =>
      s.store.commit([{ increase: keys.count(0, 0), by: { humans: -9, corpses: 1 } }], () => 5_000),
    found: ["counter", "counter"],
    restored: true,
  },
  {
    name: "a lost counter",
    plant: async () => {
      for (const { pk, sk } of await scan(s)) if (pk.startsWith("COUNT#")) await remove({ pk, sk });
    },
    found: ["counter", "counter", "counter"],
    restored: true,
  },
  {
    name: "a kill too many",
    plant: () => change(player("ada"), { kills: 3 }),
    // Its place on the leaderboard is one for two kills.
    found: ["kills", "list entry"],
    restored: true,
  },
  {
    name: "another time of the last kill",
    plant: () => change(player("ada"), { last_kill_at: "2020-01-01T00:00:00.000Z" }),
    found: ["kills", "list entry"],
    restored: true,
  },
  {
    name: "a remembered kill that is no hunt of theirs",
    plant: async () => {
      const { latest_kills } = await item(player("ada"));
      const [first] = Array.isArray(latest_kills) ? latest_kills : [];
      await change(player("ada"), { latest_kills: [{ ...first, hunt: randomUUID() }] });
    },
    found: ["kills"],
    restored: true,
  },
  {
    name: "a meal of a hunt that did not feed them",
    plant: async () => {
      const { meals } = await item(player("ada"));
      const [first, ...hunts] = Array.isArray(meals) ? meals : [];
      expect(hunts.length).toBeGreaterThan(0);
      await change(player("ada"), { meals: [first, { ...hunts[0], hunt: randomUUID() }] });
    },
    found: ["meals"],
    restored: false,
  },
  {
    name: "a place on the roster under another name",
    plant: () => change(player("ada"), { gsi1sk: "adam" }),
    found: ["list entry"],
    restored: true,
  },
  {
    name: "a zombie who is on no list of zombies",
    plant: () => change(player("ada"), { gsi2pk: undefined, gsi2sk: undefined }),
    found: ["list entry"],
    restored: true,
  },
  {
    name: "a human on the list of zombies",
    plant: () => change(player("dee"), { gsi2pk: "ZOMBIES#0", gsi2sk: "1#1" }),
    found: ["list entry"],
    restored: true,
  },
  {
    name: "a zombie of somebody else's infection",
    plant: async () => change(player("ben"), { infection_id: (await item(player("ada"))).infection_id }),
    found: ["infection"],
    restored: true,
  },
  {
    name: "a zombie of no infection",
    plant: () => change(player("cid"), { infection_id: null }),
    found: ["infection"],
    restored: true,
  },
  {
    name: "an infection on no list",
    plant: async () => put({ ...(await infectionOf("hunt")), gsi1pk: undefined, gsi1sk: undefined }),
    found: ["list entry"],
    restored: true,
  },
  {
    name: "a parent that does not exist",
    plant: async () => {
      const hunt = await infectionOf("hunt", played.ada.id);
      await put({ ...hunt, parent: "nobody", gsi2pk: "INFECTED_BY#nobody" });
    },
    found: ["parent"],
    restored: true,
  },
  {
    name: "a hunt without a parent",
    plant: async () => {
      const hunt = await infectionOf("hunt", played.cid.id);
      await put({ ...hunt, parent: null, gsi2pk: undefined, gsi2sk: undefined });
    },
    found: ["parent"],
    restored: true,
  },
  {
    name: "a missing alias guard",
    plant: () => remove(keys.alias("ada")),
    found: ["alias guard"],
    restored: true,
  },
  {
    name: "a missing look-alike guard",
    plant: async () => {
      const all = await scan(s);
      const looks = all.filter(({ pk, player_id }) => pk.startsWith("LOOK#") && player_id === played.ben.id);
      expect(looks.length).toBeGreaterThan(0);
      for (const one of looks) await remove(one);
    },
    found: ["alias guard"],
    restored: true,
  },
  {
    name: "an alias guard that points to another player",
    plant: () => change(keys.alias("ada"), { player_id: played.ben.id }),
    found: ["alias guard"],
    restored: true,
  },
  {
    name: "an alias guard that points to nobody",
    plant: () => change(keys.alias("ada"), { player_id: randomUUID() }),
    found: ["alias guard"],
    restored: true,
  },
  {
    name: "a guard of an alias that its player does not have",
    plant: () => put({ ...keys.alias("adalbert"), player_id: played.ada.id }),
    found: ["alias guard"],
    restored: true,
  },
  {
    name: "a guard of nobody's alias",
    plant: () => put({ ...keys.look("zoe"), player_id: randomUUID() }),
    found: ["alias guard"],
    restored: true,
  },
  {
    name: "a missing tag code",
    plant: () => remove(keys.code(String(played.dee.code))),
    found: ["tag code"],
    restored: true,
  },
  {
    name: "a tag code that points to another player",
    plant: () => change(keys.code(String(played.dee.code)), { player_id: played.ada.id }),
    found: ["tag code"],
    restored: true,
  },
  {
    name: "a picture that nobody knows of",
    plant: () => change(player("dee"), { has_pfp: false }),
    found: ["picture"],
    restored: true,
  },
  {
    name: "a lost picture",
    plant: () => remove(keys.picture(played.dee.id)),
    found: ["picture"],
    restored: false,
  },
  {
    name: "a picture of nobody",
    plant: () => put({ ...keys.picture(played.gone.id), rev: 1, bytes: new Uint8Array([1, 2, 3]) }),
    found: ["picture"],
    restored: true,
  },
  {
    name: "a note of somebody who has left",
    plant: () => put({ ...keys.annotation(played.gone.id, randomUUID()), note: "at the bridge" }),
    found: ["note"],
    restored: true,
  },
  {
    name: "a password, sessions and a recovery code of nobody",
    plant: async () => {
      await put({ ...keys.credential(played.gone.id), rev: 1, hash: "$argon2id$" });
      await put({ ...keys.sessions(played.gone.id), rev: 1, sessions: [] });
      await put({ ...keys.recovery(played.gone.id), rev: 1, hash: "", expires: 1 });
    },
    found: ["secret", "secret", "secret"],
    restored: true,
  },
  {
    name: "a subscription without its guard",
    plant: async () => remove(guardOf(await subscriptionOf(played.dee.id))),
    found: ["endpoint guard"],
    restored: true,
  },
  {
    name: "a guard of a subscription that is no more",
    plant: async () => remove(await subscriptionOf(played.dee.id)),
    found: ["endpoint guard"],
    restored: false,
  },
  {
    name: "a guard that points to a subscription that is no more",
    plant: async () =>
      change(guardOf(await subscriptionOf(played.dee.id)), { subscription_id: randomUUID() }),
    found: ["endpoint guard"],
    restored: true,
  },
  {
    name: "two subscriptions to one endpoint",
    plant: async () => {
      const { pk: _, sk, ...one } = await subscriptionOf(played.dee.id);
      const subscription_id = randomUUID();
      const { pk } = keys.credential(played.ada.id);
      const gsi1sk = `${sk.replace("SUBSCRIPTION#", "")}#${subscription_id}`;
      await put({ ...one, pk, sk, player_id: played.ada.id, subscription_id, gsi1sk });
    },
    found: ["subscription"],
    restored: true,
  },
  {
    name: "a subscription of nobody",
    plant: () =>
      fillSubscriptions(s.place(), "https://push.example", [{ playerId: played.gone.id, path: "/1" }]),
    found: ["subscription"],
    restored: true,
  },
  {
    name: "a subscription on no list",
    plant: async () =>
      put({ ...(await subscriptionOf(played.dee.id)), gsi1pk: undefined, gsi1sk: undefined }),
    found: ["list entry"],
    restored: true,
  },
  {
    name: "more subscriptions than a player may have",
    plant: () => {
      const wanted = Array.from({ length: MOST_SUBSCRIPTIONS }, (_, n) => ({
        playerId: played.dee.id,
        path: `/${n}`,
      }));
      return fillSubscriptions(s.place(), "https://push.example", wanted);
    },
    found: ["subscription"],
    restored: false,
  },
  {
    name: "an administrator who is not among them",
    plant: () => change(keys.administrators, { ids: [] }),
    found: ["administrators"],
    restored: true,
  },
  {
    name: "one among the administrators who is none",
    plant: () => change(keys.administrators, { ids: [played.gm.id, played.ada.id] }),
    found: ["administrators"],
    restored: true,
  },
  {
    name: "lost administrators",
    plant: () => remove(keys.administrators),
    found: ["administrators"],
    restored: true,
  },
];

/** What the table cannot tell: it is found, and left as it is. */
const BEYOND_MENDING: readonly Omit<Damage, "restored">[] = [
  {
    name: "a player who cannot be read",
    plant: () => change(player("dee"), { kills: "many" }),
    found: ["unreadable", "counter"],
  },
  {
    name: "an interaction that cannot be read",
    plant: async () => put({ ...(await infectionOf("feed")), kind: "dance" }),
    found: ["unreadable"],
  },
  {
    name: "a hunt that cannot be read, and so no kills that can be counted",
    plant: async () => put({ ...(await infectionOf("hunt", played.cid.id)), at: 5 }),
    found: ["unreadable", "kills", "infection", "meals"],
  },
  { name: "a game that cannot be read", plant: () => change(keys.game, { cuts: 7 }), found: ["unreadable"] },
  {
    name: "a lost password",
    plant: () => remove(keys.credential(played.ada.id)),
    found: ["password"],
  },
  {
    name: "a human without a tag code",
    plant: () => change(player("dee"), { tag_code: null }),
    found: ["tag code"],
  },
  {
    name: "two players of one alias",
    plant: async () => {
      const alias = "Ada";
      await change(player("dee"), { alias, gsi1sk: "ada" });
      for (const { pk, sk, player_id } of await scan(s)) {
        const isGuard = pk.startsWith("ALIAS#") || pk.startsWith("LOOK#");
        if (isGuard && player_id === played.dee.id) await remove({ pk, sk });
      }
    },
    found: ["alias guard", "alias guard"],
  },
  {
    name: "a lost infection, from which others came",
    plant: async () => remove(await infectionOf("revive_zombie", played.gm.id)),
    // Two hunts of hers that count, and one that was taken back.
    found: ["infection", "parent", "parent", "parent"],
  },
];

/** Where the answer is wanted within a minute: every so many of them, others each time. */
const EVERY = 6;
const SOME = QUICK ? drawnOf(EVERY, "kinds of damage") : 0;

/** Makes the table what it was. */
const restore = async (before: readonly StoredItem[]): Promise<void> => {
  const kept = new Set(before.map(({ pk, sk }) => `${pk} ${sk}`));
  for (const one of await scan(s)) if (!kept.has(`${one.pk} ${one.sk}`)) await remove(one);
  await fill(s.place(), before);
};

const kindsOf = ({ differences }: { differences: { kind: DifferenceKind }[] }): DifferenceKind[] =>
  differences.map(({ kind }) => kind).sort();

describe("a recount", () => {
  beforeEach(async () => {
    played = await playGame(s);
  });

  it("finds nothing in a game that was only played, and changes nothing", async () => {
    const before = await scan(s);
    expect(before.length).toBeGreaterThan(60);
    expect(await drift(s)).toEqual([]);
    const result = await still({ fix: true });
    expect(result).toEqual({ items: before.length, differences: [], moving: [] });
    expect(isClean(result)).toBe(true);
    expect(formatReport(result, true)).toBe(`${before.length} items read: no difference.`);
    expect(sorted(await scan(s))).toEqual(sorted(before));
  });

  it("finds each damage, names it, mends it, and finds nothing afterwards", { timeout: 90_000 }, async () => {
    let cases = 0;
    const planted = QUICK ? DAMAGES.filter((_, n) => n % EVERY === SOME) : DAMAGES;
    for (const { name, plant, found, restored } of planted) {
      const table = await scan(s);
      const before = await said();
      await plant();
      expect(await said(), name).not.toEqual(before);
      const seen = await still();
      expect(kindsOf(seen), name).toEqual(found.toSorted());
      expect(isClean(seen), name).toBe(false);
      const words = formatReport(seen, false);
      for (const { kind, which, is, should } of seen.differences) {
        for (const text of [kind, which, is, should]) expect(words, name).toContain(text);
      }
      expect(seen.moving, name).toEqual([]);

      const mended = await still({ fix: true });
      expect(kindsOf(mended), name).toEqual(found.toSorted());
      expect(isClean(mended), `${name}: ${formatReport(mended, true)}`).toBe(true);
      expect((await still({ fix: true })).differences, name).toEqual([]);
      if (restored) expect(await said(), name).toEqual(before);
      cases += 1;
      if (!restored) await restore(table);
    }
    expect(cases).toBe(planted.length);
    expect(cases).toBeGreaterThan(QUICK ? 5 : 30);
  });

  it.skipIf(QUICK)("tells what nobody but a game master can mend, and leaves it alone", async () => {
    let cases = 0;
    for (const { name, plant, found } of BEYOND_MENDING) {
      const before = await scan(s);
      await plant();
      const damaged = sorted(await scan(s));
      const result = await still({ fix: true });
      expect(kindsOf(result), name).toEqual(found.toSorted());
      expect(isClean(result), name).toBe(false);
      expect(formatReport(result, true), name).toContain("cannot be repaired automatically");
      expect(sorted(await scan(s)), name).toEqual(damaged);
      await restore(before);
      cases += 1;
    }
    expect(cases).toBe(8);
  });

  it("mends many damages at once, and says so to machines", async () => {
    await change(player("ada"), { kills: 9, has_pfp: true, gsi1sk: "adam", infection_id: null });
    await remove(keys.alias("ada"));
    await put({ ...keys.alias("adam"), player_id: played.ada.id });
    const result = await still({ fix: true });
    expect(kindsOf(result)).toEqual(
      ["alias guard", "alias guard", "infection", "kills", "list entry", "picture"].sort(),
    );
    const json = JSON.parse(formatReportJson(result));
    expect(json.differences).toHaveLength(6);
    expect(json.differences.every((one: { mended: boolean }) => one.mended)).toBe(true);
    expect(await drift(s)).toEqual([]);
  });

  it("judges anew whatever moves between looking and mending", async () => {
    await change(player("ada"), { kills: 9 });
    await s.store.commit([{ increase: keys.count(0, 0), by: { zombies: 4 } }], () => 5_000);
    await put({ ...keys.alias("adalbert"), player_id: played.ada.id });
    const usual = target();
    let moves = 0;
    const move = async (): Promise<void> => {
      moves += 1;
      await s.call("POST /edit_player/{url_id}", { as: played.ada, body: { first_name: `Moved ${moves}` } });
      // What a hunt does to one slot, a cure may undo in another.
      const by = { zombies: 1, humans: -1 };
      await s.store.commit([{ increase: keys.count(0, 0), by }], () => 5_000);
      await s.store.commit([{ increase: keys.count(0, 1), by: { zombies: -1, humans: 1 } }], () => 5_000);
    };
    const moving: Target = {
      ...usual,
      db: {
        ...usual.db,
        async transact(writes, token) {
          if (moves < 3) await move();
          await usual.db.transact(writes, token);
        },
      },
    };
    const mended = await recount(moving, { fix: true, pauseMs: 0 });
    expect(moves).toBe(3);
    expect(kindsOf(mended)).toEqual(["alias guard", "counter", "kills", "list entry"]);
    expect(isClean(mended)).toBe(true);
    expect(await drift(s)).toEqual([]);
    expect(await s.see(played.ada)).toMatchObject({ first_name: "Moved 3", kills: 2 });
  });

  it.skipIf(QUICK)("harms nobody who plays meanwhile", async () => {
    await s.store.commit([{ increase: keys.count(0, 1), by: { humans: 5 } }], () => 5_000);
    await change(keys.alias("ada"), { player_id: randomUUID() });
    let over = false;
    let deeds = 0;
    const playing = (async () => {
      while (!over) {
        const { body } = await s.call("POST /new", {
          body: { alias: `New ${deeds}`, password: "correct horse battery" },
        });
        if (body.tag_code !== undefined) await s.hunt(played.ada, body.tag_code);
        deeds += 1;
      }
    })();
    for (let n = 0; n < (QUICK ? 1 : 3); n += 1) await recount(target(), { fix: true });
    over = true;
    await playing;
    expect(deeds).toBeGreaterThan(5);
    const quiet = await still({ fix: true });
    expect(isClean(quiet)).toBe(true);
    expect(await drift(s)).toEqual([]);
    expect((await s.see(played.ada)).kills).toBeGreaterThan(2);
  });
});
