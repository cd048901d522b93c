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
import { type Someone, testEnvironment } from "../support/service.ts";

/** How far the service's clock is ahead, in milliseconds. */
let ahead = 0;
/** What has been read, by partition key. */
const read: string[] = [];
/** Whose entry the roster lacks, and at which reading of it. */
let late: { alias: string; reading: number } | null = null;
let readings = 0;
/** Items as eventually consistent reads still return them. */
const old = new Map<string, StoredItem>();
/** How many transactions are carried out without a response, and without the database remembering their token. */
let unanswered = 0;
/** How many transactions the database is too busy to carry out. */
let busy = 0;

/** Called before the next transaction. */
let between: (() => Promise<unknown>) | null = null;

const odd = (usual: Database): Database => ({
  ...usual,
  get: async (key, options) => {
    read.push(key.pk);
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
    const first = between;
    between = null;
    await first?.();
    if (busy > 0) {
      busy -= 1;
      throw new DatabaseBusy("throttled");
    }
    if (unanswered === 0) return usual.transact(writes, token);
    unanswered -= 1;
    await usual.transact(writes, crypto.randomUUID());
    throw new DatabaseBusy("the answer was lost");
  },
});

const s = testEnvironment({ database: odd, services: () => ({ clock: () => Date.now() + ahead }) });

beforeEach(() => {
  old.clear();
  [ahead, late, readings, unanswered, busy, between] = [0, null, 0, 0, 0, null];
});

const addDay = (as: Someone, key?: string) => s.call("POST /admin/zombies_add_day/{url_id}", { as, key });

describe("a response that an earlier version of the service has stored", () => {
  const EARLIER = "an earlier response";
  const store = async (who: string, key: string, request: [string, string, unknown], body: unknown) => {
    const expires = Math.floor(s.services.clock() / SECOND) + 60;
    const stored = {
      status: 200,
      body: JSON.stringify(body),
      fingerprint: fingerprintRequest(...request),
      expires,
    };
    await s.store.db.put({ ...keys.legacyResponse(who, key), ...stored });
  };

  it("is returned to game masters and to players, and nothing is done twice", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben");
    await store(gm.id, "day", ["POST", `/admin/zombies_add_day/${gm.id}`, {}], { zombies: EARLIER });
    expect((await addDay(gm, "day")).body).toEqual({ zombies: EARLIER });
    expect((await s.store.game()).epoch).toBe(0);
    const hunt = () =>
      s.call("POST /zombie/hunt/{url_id}", { as: ada, body: { tag_code: ben.code }, key: "tag" });
    expect((await s.hunt(ada, ben)).status).toBe(200);
    await store(ada.id, "tag", ["POST", `/zombie/hunt/${ada.id}`, { tag_code: ben.code }], {
      hunter: EARLIER,
    });
    expect((await hunt()).body).toEqual({ hunter: EARLIER });
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

describe("a new zombie", () => {
  it("can read the next feeding, also when an eventually consistent read still returns the human", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    for (const { id } of [ada, ben]) {
      const item = await s.store.db.get(keys.player(id));
      if (item !== undefined) old.set(item.pk, item);
    }
    await s.outbreak(gm, ada);
    const ask = (as: Someone) => s.call("GET /zombie/next_feeding/{url_id}", { as });
    expect((await ask(ada)).status).toBe(200);
    expect((await ask(ben)).body.code).toBe("wrong_state");
  });
});

describe("a player who was written by a command with a newer game", () => {
  it("is evaluated with that game", async () => {
    const gm = await s.admin();
    const stale = await s.store.game();
    await addDay(gm);
    const ada = await s.join("Ada");
    const { rev } = await s.store.game();
    const player = await s.store.player(ada.id);
    expect(player?.seen).toBe(rev);
    expect((await s.store.gameFor(stale, null, player)).rev).toBe(rev);
    expect(await s.store.gameFor(stale, null)).toBe(stale);
  });
});

describe("a checkpoint that is enforced", () => {
  it("finds in its next pass a player whom a pass over the roster missed", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada"), await s.join("Slip")];
    await s.call("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The bridge" } });
    await s.call("POST /admin/player_at_checkpoint/{url_id}", { as: gm, body: { alias: ada.alias } });
    [readings, late] = [0, { alias: "Slip", reading: 1 }];
    const killed = await s.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: gm });
    expect(killed).toMatchObject({ status: 200, body: { killed: 1, spared: 1, complete: true } });
  });
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

  it("cannot be resumed while another worker has its lease, nor when it is done", async () => {
    const id = await begin();
    const held = await hold(id, true);
    ahead = LEASE_MS - SECOND;
    await expect(hold(id, false)).rejects.toMatchObject({ code: "in_progress" });
    await held.save({ done: true });
    ahead = DAY;
    await expect(hold(id, false)).rejects.toMatchObject({ code: "in_progress" });
  });

  it("can be resumed when the lease has expired or was released, and its first worker writes no more", async () => {
    const id = await begin();
    const first = await hold(id, true);
    ahead = LEASE_MS;
    const second = await hold(id, false);
    await expect(first.save({})).rejects.toMatchObject({ code: "in_progress" });
    await expect(first.requireHeld()).rejects.toMatchObject({ code: "in_progress" });
    await expect(s.store.commit([first.progressWrite({})], () => 10_000)).rejects.toBeInstanceOf(
      ConditionFailed,
    );
    await second.requireHeld();
    await second.release();
    await (await hold(id, false)).save({ done: true });
  });
});

describe("a list of several shards", () => {
  it("is read in one order, with and without bounds", async () => {
    const put = (shard: number, sk: string) => s.store.db.put({ pk: `LIST#${shard}`, sk });
    await Promise.all(["a", "d", "e", "h"].map((sk) => put(0, sk)));
    await Promise.all(["b", "f"].map((sk) => put(1, sk)));
    await Promise.all(["c", "g"].map((sk) => put(2, sk)));
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
});

describe("a transaction that the database was too busy for at first", () => {
  it("is a conflict when an item has changed, also where another one is replaced without a condition", async () => {
    const page = keys.jobDone("a-job", 0);
    await s.store.db.put({ ...page, results: ["of another worker"] });
    await s.store.db.put({ ...keys.job("a-job"), rev: 2 });
    busy = 1;
    const writes = [
      { put: { ...page, results: [] } },
      { put: { ...keys.job("a-job"), rev: 2 }, expect: { rev: 1 } },
    ];
    await expect(s.store.commit(writes, () => 10_000)).rejects.toBeInstanceOf(ConditionFailed);
    expect(busy).toBe(0);
  });
});
