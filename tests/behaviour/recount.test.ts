/** `npm run recount` finds nothing in a game that was only played, and every damage done to its table. */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it } from "vitest";
import { MAX_SUBSCRIPTIONS } from "../../lib/domain/notifications/push.ts";
import { HOUR } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { emailHash } from "../../lib/store/accounts/emails.ts";
import { keys } from "../../lib/store/keys.ts";
import { endpointHash } from "../../lib/store/notifications/subscriptions.ts";
import type { Target } from "../../scripts/archive/target.ts";
import { type Recount, type RecountOptions, recount } from "../../scripts/recount/recount.ts";
import { formatReport, formatReportJson, isClean } from "../../scripts/recount/report.ts";
import { archives } from "../support/archives.ts";
import { makeConfirmation } from "../support/confirmation.ts";
import { missionAt } from "../support/constants.ts";
import { type Played, playGame } from "../support/playedGame.ts";
import { drift } from "../support/recount.ts";
import { testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { playedOnce, restore, snapshot } from "../support/snapshot.ts";
import { fillSubscriptions } from "../support/subscribers.ts";

// The clock stands, so that tags have the same time.
const s = testEnvironment({ at: Date.now() });
const { openTable, everything } = archives(s);
const all = (): Promise<StoredItem[]> => everything(openTable());

/** A recount of a game that nobody plays, so it need not wait between two reads. */
const recountNow = (options: RecountOptions = {}): Promise<Recount> =>
  recount(openTable(), { ...options, pauseMs: 0 });

const put = (item: StoredItem): Promise<void> => s.store.db.put(item);
const remove = ({ pk, sk }: Key): Promise<void> =>
  s.store.db.transact([{ remove: { pk, sk } }], randomUUID());

const isCounter = ({ pk }: StoredItem): boolean => pk.startsWith("COUNT#");

/** The table without revisions and without the slots of counters. */
const contents = async (): Promise<unknown> => {
  const items = await all();
  const counters: Record<string, number> = { humans: 0, zombies: 0, corpses: 0, spectators: 0 };
  for (const { pk: _, sk: __, ...counts } of items.filter(isCounter))
    for (const [name, count] of Object.entries(counts))
      counters[name] = (counters[name] ?? 0) + Number(count);
  const others = items.filter((one) => !isCounter(one));
  return { counters, items: others.map(({ rev: _, ...item }) => item) };
};

let played: Played;
/** The address that Ada has confirmed. */
const ADDRESS = "ada@example.org";
/** The id of a mission that Ada attended. */
let mission = "";

const findItem = async (isWanted: (one: StoredItem) => boolean): Promise<StoredItem> => {
  const found = (await all()).find(isWanted);
  if (found === undefined) throw new Error("there is no such item");
  return found;
};
const item = (key: Key) => findItem(({ pk, sk }) => pk === key.pk && sk === key.sk);
const infectionOf = (kind: string, by?: string) =>
  findItem((one) => one.kind === kind && (by === undefined || one.actor === by));
const subscriptionOf = (id: string) =>
  findItem(({ pk, sk }) => pk === `SECRET#${id}` && sk.startsWith("SUBSCRIPTION#"));
const guardOf = (subscription: StoredItem): Key => keys.endpoint(endpointHash(String(subscription.endpoint)));

const change = async (key: Key, by: Record<string, unknown>): Promise<void> =>
  put({ ...(await item(key)), ...by });
/** Changes the hunt of the n-th entry of a list of Ada's. */
const changeHunt = async (list: "latest_kills" | "meals", n: number): Promise<void> => {
  const { [list]: entries } = await item(player("ada"));
  if (!Array.isArray(entries) || entries[n] === undefined) throw new Error(`there is no entry ${n}`);
  await change(player("ada"), { [list]: entries.with(n, { ...entries[n], hunt: randomUUID() }) });
};

/** The differences that a recount finds, the damage, and `false` when fixing it does not restore the table exactly. */
type Damage = [found: string, plant: () => Promise<unknown>, isRestored?: false];

const player = (who: keyof Played): Key => keys.player(played[who].id);
const count = (slot: number, by: Record<string, number>) =>
  s.store.commit([{ increase: keys.count(0, slot), by }], () => 5_000);
/** Removes every item for which `isOne` holds. */
const removeAll = async (isOne: (one: StoredItem) => boolean): Promise<void> => {
  const found = (await all()).filter(isOne);
  expect(found.length).toBeGreaterThan(0);
  for (const one of found) await remove(one);
};
const deeCode = (): Key => keys.code(String(played.dee.code));
const unlisted = { gsi1pk: undefined, gsi1sk: undefined };
const announces = { cause: "hunter_known", at: "2026-01-01T00:00:00.000Z" };
const notZombie = { gsi2pk: undefined, gsi2sk: undefined };
const subscribe = (playerId: string, many: number): Promise<void> => {
  const wanted = Array.from({ length: many }, (_, n) => ({ playerId, path: `/${n}` }));
  return fillSubscriptions(s.place(), "https://push.example", wanted);
};

const DAMAGES: Damage[] = [
  ["counter", () => count(3, { humans: 2 })],
  ["counter, counter, counter", () => removeAll(isCounter)],
  ["kills, list entry", () => change(player("ada"), { kills: 3 })],
  ["kills, list entry", () => change(player("ada"), { last_kill_at: "2020-01-01T00:00:00.000Z" })],
  ["kills", () => changeHunt("latest_kills", 0)],
  ["meals", () => changeHunt("meals", 1), false],
  ["list entry", () => change(player("ada"), { gsi1sk: "adam" })],
  ["list entry", () => change(player("ada"), notZombie)],
  ["list entry", () => change(player("dee"), { gsi2pk: "ZOMBIES#0", gsi2sk: "1#1" })],
  // What a change has announced is not announced again.
  ["list entry", async () => put({ ...(await infectionOf("hunt")), ...unlisted, announces })],
  ["list entry", async () => put({ ...(await subscriptionOf(played.dee.id)), ...unlisted })],
  [
    "infection",
    async () => change(player("ben"), { infection_id: (await item(player("ada"))).infection_id }),
  ],
  ["infection", () => change(player("cid"), { infection_id: null })],
  [
    "parent",
    async () => {
      const hunt = await infectionOf("hunt", played.ada.id);
      await put({ ...hunt, parent: "nobody", gsi2pk: "INFECTED_BY#nobody" });
    },
  ],
  ["parent", async () => put({ ...(await infectionOf("hunt", played.cid.id)), parent: null, ...notZombie })],
  [
    "list entry",
    () => change(keys.attended(mission, played.ada.id), { gsi2pk: "ATTENDED_BY#nobody", gsi2sk: "0" }),
    false,
  ],
  // Who attended a closed mission is listed.
  [
    "desk, list entry",
    () => {
      const [at, listed_at] = ["2026-01-01T00:00:00.000Z", "2026-01-01T00:00:01.000Z"];
      const closings = [{ at, actor: played.gm.id, result: "both", note: null }];
      return change(keys.mission(mission), { closings, listed_at });
    },
    false,
  ],
  ["alias guard", () => remove(keys.alias("ada"))],
  ["alias guard", () => removeAll((one) => one.pk.startsWith("LOOK#") && one.player_id === played.ben.id)],
  ["alias guard", () => change(keys.alias("ada"), { player_id: played.ben.id })],
  ["alias guard", () => change(keys.alias("ada"), { player_id: randomUUID() })],
  ["alias guard", () => put({ ...keys.alias("adalbert"), player_id: played.ada.id })],
  ["alias guard", () => put({ ...keys.look("zoe"), player_id: randomUUID() })],
  // Accounts of an early version have none; nothing else finds a player by the reference.
  ["reference guard", () => removeAll((one) => one.pk.startsWith("REF#") && one.player_id === played.ada.id)],
  ["address guard", () => remove(keys.confirmedEmail(emailHash(ADDRESS)))],
  ["address guard", () => put({ ...keys.confirmedEmail("other"), player_id: played.ada.id })],
  ["tag code", () => remove(deeCode())],
  ["tag code", () => change(deeCode(), { player_id: played.ada.id })],
  ["picture", () => change(player("dee"), { has_pfp: false })],
  ["picture", () => remove(keys.picture(played.dee.id)), false],
  ["picture", () => put({ ...keys.picture(played.gone.id), rev: 1, bytes: new Uint8Array([1, 2, 3]) })],
  ["desk", () => change(keys.missionDesk(mission), { count: 7 })],
  ["desk", () => change(keys.missionDesk(mission), { state: "closed" })],
  ["desk", () => remove(keys.missionDesk(mission)), false],
  ["note", () => put({ ...keys.note(played.gone.id, randomUUID()), note: "at the bridge" })],
  ["secret", () => put({ ...keys.credential(played.gone.id), rev: 1, hash: "$argon2id$" })],
  ["secret", () => put({ ...keys.sessions(played.gone.id), rev: 1, sessions: [] })],
  ["secret", () => put({ ...keys.recovery(played.gone.id), rev: 1, hash: "", expires: 1 })],
  ["endpoint guard", async () => remove(guardOf(await subscriptionOf(played.dee.id)))],
  ["endpoint guard", async () => remove(await subscriptionOf(played.dee.id)), false],
  [
    "endpoint guard",
    async () => change(guardOf(await subscriptionOf(played.dee.id)), { subscription_id: randomUUID() }),
  ],
  [
    "subscription",
    async () => {
      const { pk: _, sk, ...one } = await subscriptionOf(played.dee.id);
      const subscription_id = randomUUID();
      const { pk } = keys.credential(played.ada.id);
      const gsi1sk = `${sk.replace("SUBSCRIPTION#", "")}#${subscription_id}`;
      await put({ ...one, pk, sk, player_id: played.ada.id, subscription_id, gsi1sk });
    },
  ],
  ["subscription", () => subscribe(played.gone.id, 1)],
  ["subscription", () => subscribe(played.dee.id, MAX_SUBSCRIPTIONS), false],
  ["administrators", () => change(keys.administrators, { ids: [] })],
  ["administrators", () => change(keys.administrators, { ids: [played.gm.id, played.ada.id] })],
  ["administrators", () => change(keys.administrators, { moderators: [played.ada.id] })],
  ["administrators", () => remove(keys.administrators)],
];

/** Damages that a recount finds and cannot fix. */
const UNFIXABLE: Damage[] = [
  ["counter, unreadable", () => change(player("dee"), { kills: "many" })],
  ["unreadable", async () => put({ ...(await infectionOf("feed")), kind: "dance" })],
  // The hunt cannot be read, so its kill cannot be counted.
  [
    "infection, kills, meals, unreadable",
    async () => put({ ...(await infectionOf("hunt", played.cid.id)), at: 5 }),
  ],
  ["unreadable", () => change(keys.game, { cuts: 7 })],
  ["password", () => remove(keys.credential(played.ada.id))],
  ["tag code", () => change(player("dee"), { tag_code: null })],
  ["state", () => change(player("ada"), { deadline: null, epoch: null, ...notZombie })],
  [
    "alias guard, alias guard",
    async () => {
      await change(player("dee"), { alias: "Ada", gsi1sk: "ada", former_aliases: [] });
      const isGuard = ({ pk }: StoredItem): boolean => /^(ALIAS#|LOOK#|WORDS$)/.test(pk);
      await removeAll((one) => isGuard(one) && one.player_id === played.dee.id);
    },
  ],
  // Other infections descend from it.
  ["infection, parent, parent, parent", async () => remove(await infectionOf("revive_zombie", played.gm.id))],
];

const kindsOf = ({ differences }: Recount): string =>
  differences
    .map(({ kind }) => kind)
    .sort()
    .join(", ");

describe("a recount", () => {
  const begin = playedOnce(s, async () => {
    const game = await playGame(s);
    const { done } = shortRequests(s);
    const drop = missionAt(s.now + 2 * HOUR);
    const { mission_id }: { mission_id: string } = await done(game.gm, "set_mission", drop);
    await done(game.gm, "mission_attendance", { mission_id, alias: "Ada" });
    await s.must("POST /edit_player/{url_id}", { as: game.ada, body: { email: ADDRESS } });
    const token = await makeConfirmation(s.store, game.ada.id, ADDRESS, s.now);
    await s.must("POST /confirm_email", { body: { token } });
    return [game, mission_id] as const;
  });
  beforeEach(async () => {
    [played, mission] = await begin();
  });

  it("finds nothing in a game that was only played, and changes nothing", async () => {
    const before = await all();
    expect(before.length).toBeGreaterThan(60);
    expect(await drift(s)).toEqual([]);
    const result = await recountNow({ fix: true });
    expect(result).toEqual({ items: before.length, differences: [], unstable: [] });
    expect(isClean(result)).toBe(true);
    expect(formatReport(result, true)).toBe(`${before.length} items read: no difference.`);
    expect(await all()).toEqual(before);
  });

  it("fixes nothing unless it is asked to", async () => {
    await change(player("ada"), { kills: 3 });
    const damaged = await all();
    const seen = await recountNow();
    expect([kindsOf(seen), isClean(seen)]).toEqual(["kills, list entry", false]);
    expect(formatReportJson(seen)).toContain('"mended": false');
    expect(await all()).toEqual(damaged);
  });

  it("finds each damage, names it, fixes it, and finds nothing afterwards", { timeout: 90_000 }, async () => {
    const [table, before] = [await snapshot(s), await contents()];
    for (const [found, plant, isRestored = true] of DAMAGES) {
      const name = `${found}: ${plant}`;
      await plant();
      const fixed = await recountNow({ fix: true });
      expect(kindsOf(fixed), name).toBe(found);
      const words = formatReport(fixed, true);
      for (const { kind, which, is, should } of fixed.differences)
        for (const text of [kind, which, is, should]) expect(words, name).toContain(text);
      expect([isClean(fixed), fixed.unstable], `${name}: ${words}`).toEqual([true, []]);
      expect(formatReportJson(fixed), name).not.toContain('"mended": false');
      if (isRestored) expect(await contents(), name).toEqual(before);
      else expect((await recountNow()).differences, name).toEqual([]);
      if (!isRestored) await restore(s, table);
    }
  });

  it("reports what only a game master can fix, and leaves it alone", async () => {
    for (const [found, plant] of UNFIXABLE) {
      const name = `${found}: ${plant}`;
      const before = await snapshot(s);
      await plant();
      const damaged = await all();
      const result = await recountNow({ fix: true });
      expect(kindsOf(result), name).toBe(found);
      expect(isClean(result), name).toBe(false);
      expect(formatReport(result, true), name).toContain("cannot be repaired automatically");
      expect(await all(), name).toEqual(damaged);
      await restore(s, before);
    }
  });

  it("re-evaluates whatever changes between reading and fixing", async () => {
    await change(player("ada"), { kills: 9 });
    await s.store.commit([{ increase: keys.count(0, 0), by: { zombies: 4 } }], () => 5_000);
    await put({ ...keys.alias("adalbert"), player_id: played.ada.id });
    await removeAll((one) => one.pk === "WORDS" && one.player_id === played.dee.id);
    const usual = openTable();
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
    const fixed = await recount(moving, { fix: true, pauseMs: 0 });
    expect(moves).toBe(3);
    expect(kindsOf(fixed)).toBe(
      ["alias guard, counter, kills, list entry", ...Array(3).fill("search word")].join(", "),
    );
    expect(isClean(fixed)).toBe(true);
    expect(await drift(s)).toEqual([]);
    expect(await s.see(played.ada)).toMatchObject({ first_name: "Moved 3", kills: 2 });
  });
});
