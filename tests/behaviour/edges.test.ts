/** Retries, leases and reads when a clock, an index or another worker is behind. */
import { beforeEach, describe, expect, it } from "vitest";
import { passwordDigest } from "../../lib/auth/password.ts";
import { DAY, SECOND } from "../../lib/domain/time.ts";
import type { Database, StoredItem } from "../../lib/dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { fingerprintRequest } from "../../lib/http/requestBody.ts";
import { acquireLease, jobWrite, LEASE_MS, LeasedJob, newLeasedJob } from "../../lib/jobs/lease.ts";
import { inProgress } from "../../lib/store/idempotency.ts";
import { keys } from "../../lib/store/keys.ts";
import { entries } from "../../lib/store/lists.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { outcomeOf, shortRequests } from "../support/shortRequests.ts";

/** How far the service's clock is ahead, in milliseconds. */
let ahead = 0;
/** Whose entry the roster lacks, and at which reading of it. */
let late: { alias: string; reading: number } | null = null;
let readings = 0;
/** Items as eventually consistent reads still return them. */
const old = new Map<string, StoredItem>();
/** How many transactions the database is too busy to carry out. */
let busy = 0;

const odd = (usual: Database): Database => ({
  ...usual,
  get: async (key, options) => {
    const before = options?.consistent === false ? old.get(key.pk) : undefined;
    return before ?? usual.get(key, options);
  },
  query: async (range, limit, from) => {
    const page = await usual.query(range, limit, from);
    if (!range.pk.startsWith("ROSTER#")) return page;
    if (range.after === undefined && from === undefined) readings += 1;
    return late === null || readings !== late.reading
      ? page
      : { ...page, items: page.items.filter(({ alias }) => alias !== late?.alias) };
  },
  transact: async (writes, token) => {
    busy -= 1;
    if (busy >= 0) throw new DatabaseBusy("throttled");
    return usual.transact(writes, token);
  },
});

const s = testEnvironment({ database: odd, services: () => ({ clock: () => Date.now() + ahead }) });

const { admin, done } = shortRequests(s);

beforeEach(() => {
  old.clear();
  [ahead, late, readings, busy] = [0, null, 0, 0];
});

describe("a response that an earlier version of the service has stored", () => {
  const EARLIER = "an earlier response";
  const store = async (who: string, key: string, request: [string, string, unknown], body: unknown) => {
    const expires = Math.floor(s.services.clock() / SECOND) + 60;
    const stored = { status: 200, body: JSON.stringify(body), fingerprint: fingerprintRequest(...request) };
    await s.store.db.put({ ...keys.legacyResponse(who, key), ...stored, expires });
  };

  it("is returned to game masters and to players, and nothing is done twice", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    await store(gm.id, "day", ["POST", `/admin/zombies_add_day/${gm.id}`, {}], { zombies: EARLIER });
    expect((await admin(gm, "zombies_add_day", {}, "day")).body).toEqual({ zombies: EARLIER });
    expect((await s.store.game()).epoch).toBe(0);
    expect((await s.hunt(ada, ben)).status).toBe(200);
    const body = { tag_code: ben.code };
    await store(ada.id, "tag", ["POST", `/zombie/hunt/${ada.id}`, body], { hunter: EARLIER });
    const again = await s.call("POST /zombie/hunt/{url_id}", { as: ada, body, key: "tag" });
    expect(again.body).toEqual({ hunter: EARLIER });
  });

  it("is not returned for a registration: the account is, for its password", async () => {
    const body = { alias: "Ada", password: "correct horse battery" };
    const { body: ada } = await s.call("POST /new", { body });
    const digest = await passwordDigest(body.password, "key ada", s.services.cost);
    const earlier = { ...ada, email: EARLIER };
    await store("NEW#ada", "key", ["POST", "/new", { ...body, password: digest }], earlier);
    expect((await s.call("POST /new", { body, key: "key" })).body).toEqual(ada);
    const other = await s.call("POST /new", { body: { ...body, password: "something else" }, key: "key" });
    expect(other.body.code).toBe("key_reused");
  });
});

it("a new zombie can read the next feeding, also when an eventually consistent read still returns the human", async () => {
  const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
  for (const { id } of [ada, ben]) {
    const item = await s.store.db.get(keys.player(id));
    if (item !== undefined) old.set(item.pk, item);
  }
  await s.outbreak(gm, ada);
  const ask = async (as: TestPlayer) => outcomeOf(await s.call("GET /zombie/next_feeding/{url_id}", { as }));
  expect([await ask(ada), await ask(ben)]).toEqual([
    [200, undefined],
    [409, "wrong_state"],
  ]);
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
});

it("a checkpoint that is enforced finds in its next pass a player whom a pass over the roster missed", async () => {
  const gm = await s.admin();
  for (const alias of ["Ada", "Slip"]) await s.join(alias);
  await done(gm, "set_checkpoint", { name: "The bridge" });
  await done(gm, "player_at_checkpoint", { alias: "Ada" });
  [readings, late] = [0, { alias: "Slip", reading: 1 }];
  const killed = await admin(gm, "kill_all_not_at_checkpoint");
  expect(killed).toMatchObject({ status: 200, body: { killed: 1, spared: 1, complete: true } });
});

describe("a job", () => {
  const begin = async (): Promise<string> => {
    const id = crypto.randomUUID();
    await s.store.commit([jobWrite(newLeasedJob(id, Date.now()))], () => 10_000);
    return id;
  };
  const hold = (id: string, begun: boolean) =>
    acquireLease(
      {
        store: s.store,
        parse: (item) => LeasedJob.parse(item),
        clock: () => Date.now() + ahead,
        timeLeft: () => 10_000,
        heldError: inProgress,
      },
      id,
      begun ? newLeasedJob(id, Date.now()) : null,
    );

  const IN_PROGRESS = { code: "in_progress" };

  it("cannot be resumed while another worker has its lease, nor when it is done", async () => {
    const id = await begin();
    const held = await hold(id, true);
    ahead = LEASE_MS - SECOND;
    await expect(hold(id, false)).rejects.toMatchObject(IN_PROGRESS);
    await held.save({ done: true });
    ahead = DAY;
    await expect(hold(id, false)).rejects.toMatchObject(IN_PROGRESS);
  });

  it("can be resumed when the lease has expired or was released, and its first worker writes no more", async () => {
    const id = await begin();
    const first = await hold(id, true);
    ahead = LEASE_MS;
    const second = await hold(id, false);
    await expect(first.save({})).rejects.toMatchObject(IN_PROGRESS);
    await expect(first.requireHeld()).rejects.toMatchObject(IN_PROGRESS);
    const progress = s.store.commit([first.progressWrite({})], () => 10_000);
    await expect(progress).rejects.toBeInstanceOf(ConditionFailed);
    await second.requireHeld();
    await second.release();
    await (await hold(id, false)).save({ done: true });
  });
});

it("a list of several shards is read in one order, with and without bounds", async () => {
  for (const [shard, all] of ["adeh", "bf", "cg"].entries())
    for (const sk of all) await s.store.db.put({ pk: `LIST#${shard}`, sk });
  const list = { partition: (shard: number) => `LIST#${shard}`, shards: 3, consistent: true };
  const found = async (more: { after?: string; before?: string; descending?: boolean }) => {
    const positions: string[] = [];
    for await (const { position } of entries(s.store.db, { ...list, ...more }, 2)) positions.push(position);
    return positions.join("");
  };
  expect(await found({})).toBe("abcdefgh");
  expect(await found({ descending: true })).toBe("hgfedcba");
  expect(await found({ after: "b", before: "g" })).toBe("cdef");
  expect(await found({ after: "b", before: "g", descending: true })).toBe("fedc");
  expect(await found({ after: "d" })).toBe("efgh");
  expect(await found({ before: "d" })).toBe("abc");
});

it("a transaction that the database was too busy for at first is a conflict when an item has changed meanwhile", async () => {
  const page = keys.jobDone("a-job", 0);
  await s.store.db.put({ ...page, results: ["of another worker"] });
  await s.store.db.put({ ...keys.job("a-job"), rev: 2 });
  busy = 1;
  const replaced = { put: { ...page, results: [] } };
  const writes = [replaced, { put: { ...keys.job("a-job"), rev: 2 }, expect: { rev: 1 } }];
  await expect(s.store.commit(writes, () => 10_000)).rejects.toBeInstanceOf(ConditionFailed);
  expect(busy).toBeLessThan(0);
});
