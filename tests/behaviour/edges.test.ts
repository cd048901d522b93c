/** Retries, leases and reads when a clock, a replica or another worker is behind. */
import { expect, it } from "vitest";
import { passwordDigest } from "../../lib/auth/password.ts";
import { DAY, MINUTE, SECOND } from "../../lib/domain/time.ts";
import type { StoredItem, Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { fingerprintRequest } from "../../lib/http/requestBody.ts";
import { acquireLease, jobWrite, LEASE_MS, LeasedJob, newLeasedJob } from "../../lib/jobs/lease.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { inProgress } from "../../lib/store/idempotency.ts";
import { parsePlayer } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { entries } from "../../lib/store/lists.ts";
import { PASSWORD, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment();
const { admin, done } = shortRequests(s);

it("a repeated request gets the response that an earlier version stored, or for a registration the account as it is now", async () => {
  const EARLIER = "an earlier response";
  const store = async (who: string, key: string, request: [path: string, body: unknown], body: unknown) => {
    const expires = Math.floor(s.now / SECOND) + 60;
    const fingerprint = fingerprintRequest("POST", ...request);
    const stored = { status: 200, body: JSON.stringify(body), fingerprint, expires };
    await s.store.db.put({ ...keys.legacyResponse(who, key), ...stored });
  };
  const [gm, ben] = [await s.admin(), { alias: "Ben", password: PASSWORD }];
  await store(gm.id, "day", [`/admin/zombies_add_day/${gm.id}`, {}], { zombies: EARLIER });
  expect((await admin(gm, "zombies_add_day", {}, "day")).body).toEqual({ zombies: EARLIER });
  expect((await s.store.game()).epoch).toBe(0);
  const { body } = await s.call("POST /new", { body: ben });
  const digest = await passwordDigest(ben.password, "key ben", s.services.cost);
  await store("NEW#ben", "key", ["/new", { ...ben, password: digest }], { ...body, email: EARLIER });
  expect((await s.call("POST /new", { body: ben, key: "key" })).body).toEqual(body);
  const other = await s.call("POST /new", { body: { ...ben, password: "something else" }, key: "key" });
  await expectRefused(other, "key_reused");
});

it("a key is free again a day later, also while its response is still stored", async () => {
  const gm = await s.admin();
  const addDay = async () => admin(await s.login(gm.alias, gm.password), "zombies_add_day", {}, "a-key");
  for (const [passed, epoch] of [
    [0, 1],
    [DAY - 2 * SECOND, 1],
    [2 * SECOND, 2],
  ] as const) {
    s.now += passed;
    expect((await addDay()).status).toBe(200);
    expect((await s.store.game()).epoch).toBe(epoch);
  }
});

it("a new zombie can read the next feeding, also when an eventually consistent read still returns the human", async () => {
  const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
  const { get } = s.store.db;
  const old = new Map<string, StoredItem | undefined>();
  for (const key of [ada, ben].map(({ id }) => keys.player(id))) old.set(key.pk, await get(key));
  s.store.db.get = async (key, options) =>
    (options?.consistent === false ? old.get(key.pk) : undefined) ?? get(key, options);
  await s.outbreak(gm, ada);
  const ask = (as: TestPlayer) => s.call("GET /zombie/next_feeding/{url_id}", { as });
  expect((await ask(ada)).status).toBe(200);
  await expectRefused(ask(ben), "wrong_state");
});

it("a zombie who is fed while a feeding of the hungriest runs keeps the time of the later meal", async () => {
  const [gm, ada, hal] = await s.game("Ada", "Hal");
  s.now += MINUTE;
  expect((await s.hunt(ada, hal)).status).toBe(200);
  await done(gm, "feed_player", { player_id: hal.id });
  const times = async () => [(await s.see(ada)).last_fed_at, (await s.see(hal)).last_fed_at];
  const before = await times();
  s.now -= MINUTE;
  for (const n of [2, 60]) {
    expect(await done(gm, "feed", { n })).toMatchObject({ count: 2 });
    expect(await times(), `${n}`).toEqual(before);
  }
});

it("a player who was written by a command with a newer game is evaluated with that game", async () => {
  const gm = await s.admin();
  const stale = await s.store.game();
  await done(gm, "zombies_add_day");
  const ada = await s.join("Ada");
  const { rev } = await s.store.game();
  const player = await s.store.player(ada.id);
  expect(player?.seen).toBe(rev);
  expect((await s.store.gameFor(stale, null, player)).rev).toBe(rev);
  expect(await s.store.gameFor(stale, null)).toBe(stale);
  // A sweep that has read the older game does not record a death by the index alone.
  await s.outbreak(gm, ada);
  const zombie = parsePlayer((await s.store.db.get(keys.player(ada.id))) ?? { pk: "", sk: "" });
  if (zombie.state !== "zombie") throw new Error("no zombie");
  const death = await writesOf({ zombies: [{ zombie, after: null }], basedOn: stale });
  await expect(s.store.commit(death, () => 10_000)).rejects.toBeInstanceOf(ConditionFailed);
});

it("a job can be resumed when its lease has expired or was released, until it is done, and its first worker writes no more", async () => {
  const rejected = { code: "in_progress" };
  const timeLeft = () => 10_000;
  const started = newLeasedJob(crypto.randomUUID(), s.now);
  const hold = (job: LeasedJob | null = null) => {
    const options = { store: s.store, clock: () => s.now, timeLeft, leaseHeldError: inProgress };
    return acquireLease({ ...options, parse: (item) => LeasedJob.parse(item) }, started.job_id, job);
  };
  await s.store.commit([jobWrite(started)], timeLeft);
  const first = await hold(started);
  s.now += LEASE_MS - SECOND;
  await expect(hold()).rejects.toMatchObject(rejected);
  s.now += SECOND;
  const second = await hold();
  await expect(first.save({})).rejects.toMatchObject(rejected);
  await expect(first.requireHeld()).rejects.toMatchObject(rejected);
  const progress = s.store.commit([first.progressWrite({})], timeLeft);
  await expect(progress).rejects.toBeInstanceOf(ConditionFailed);
  await second.requireHeld();
  await second.release();
  await (await hold()).save({ done: true });
  s.now += DAY;
  await expect(hold()).rejects.toMatchObject(rejected);
});

it("a list of several shards is read in one order, with and without bounds", async () => {
  for (const [shard, all] of ["adeh", "bf", "cg"].entries())
    for (const sk of all) await s.store.db.put({ pk: `LIST#${shard}`, sk });
  const list = { partition: (shard: number) => `LIST#${shard}`, shards: 3, consistent: true };
  for (const [bounds, expected] of [
    [{ descending: true }, "hgfedcba"],
    [{ after: "b", before: "g" }, "cdef"],
    [{ after: "b", before: "g", descending: true }, "fedc"],
    [{ after: "d" }, "efgh"],
    [{ before: "d" }, "abc"],
  ] as const) {
    let positions = "";
    for await (const { position } of entries(s.store.db, { ...list, ...bounds }, 2)) positions += position;
    expect(positions).toBe(expected);
  }
});

it("a transaction whose response was lost is committed, also if the database has forgotten its token", async () => {
  const { transact } = s.store.db;
  const tokens: string[] = [];
  s.store.db.transact = async (writes, token) => {
    tokens.push(token);
    await transact(writes, `${token.slice(0, -1)}${tokens.length}`);
    if (tokens.length === 1) throw new DatabaseBusy("the response was lost");
  };
  const writes: Write[] = [
    { put: { pk: "LOG#0", sk: crypto.randomUUID() }, hasNewKey: true },
    { put: { ...keys.job("b-job"), rev: 1 }, expect: "absent" },
  ];
  await s.store.commit(writes, () => 10_000);
  expect(new Set(tokens).size).toBe(1);
  s.store.db.transact = transact;
});

it("a transaction that the database was too busy for at first is a conflict when an item has changed meanwhile", async () => {
  const page = keys.jobDone("a-job", 0);
  await s.store.db.put({ ...page, results: ["of another worker"] });
  await s.store.db.put({ ...keys.job("a-job"), rev: 2 });
  s.beforeTransaction(() => Promise.reject(new DatabaseBusy("throttled")));
  const replaced = { put: { ...page, results: [] } };
  const writes = [replaced, { put: { ...keys.job("a-job"), rev: 2 }, expect: { rev: 1 } }];
  await expect(s.store.commit(writes, () => 10_000)).rejects.toBeInstanceOf(ConditionFailed);
  expect(s.beforeCall).toBeUndefined();
});
