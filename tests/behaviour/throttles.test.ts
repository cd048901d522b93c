/**
 * Authentication, logins and registrations: what they read and how consistently, what they write, and their rate limits by
 * account and by address, on the service's own clock. The lengths of waits are in `tests/unit/backoff.test.ts`, and random
 * attempts in `tests/battery/model`.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { THROTTLES } from "../../lib/domain/backoff.ts";
import { DAY, HOUR, SECOND } from "../../lib/domain/time.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { log } from "../../lib/runtime/log.ts";
import { keys } from "../../lib/store/keys.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

/** Counts the hashes of passwords, also where another test file of the same worker has loaded the service before. */
const hash = vi.spyOn(crypto, "argon2");
syncBuiltinESMExports();
afterAll(() => {
  hash.mockRestore();
  syncBuiltinESMExports();
});

const PASSWORD = "correct horse battery";
const WRONG = "not the password";
const HOME = "203.0.113.7";
const AWAY = "198.51.100.9";
const HERE = "127.0.0.1";
const EVERY = 2 * SECOND;

/** Twelve failures from an address at once, and one more every two seconds; three registrations, one a second. */
const LIMITS = {
  ...THROTTLES,
  failures: { burst: 12, intervalMs: EVERY },
  registrations: { burst: 3, intervalMs: SECOND },
};

let now = 0;
/** The calls of the database, and what is read. */
let [calls, reads]: [string[], string[]] = [[], []];
/** Calls that fail. */
let broken: Map<string, Error> = new Map();
/** What an eventually consistent read does not find yet. */
let lagging: Set<string> = new Set();
/** Called once, before the next account is read or the next transaction is written. */
let beforeReading: (() => Promise<unknown>) | null = null;
let beforeWriting: (() => Promise<unknown>) | null = null;
/** How many transactions fail because something has changed. */
let changed = 0;

const NAMES: [name: string, item: RegExp][] = [
  ["allowance", /THROTTLE#/],
  ["alias", /^ALIAS#/],
  ["sessions", / SESSIONS$/],
  ["player", /^PLAYER#.* PROFILE$/],
  ["game", new RegExp(`^${keys.game.pk} ${keys.game.sk}$`)],
];
const nameOf = ({ pk, sk }: { pk: string; sk: string }): string | undefined =>
  NAMES.find(([, item]) => item.test(`${pk} ${sk}`))?.[0];

const watched = (usual: Database): Database => {
  const note = (call: string): void => {
    calls.push(call);
    const fault = broken.get(call);
    if (fault !== undefined) throw fault;
  };
  const noteRead = (name: string, isCheap: boolean) => reads.push(`${name}${isCheap ? " eventually" : ""}`);
  return {
    ...usual,
    async get(key, options) {
      note("get");
      const [name, isCheap] = [nameOf(key), options?.consistent === false];
      if (name !== undefined) noteRead(name, isCheap);
      return isCheap && lagging.has(name ?? "") ? undefined : usual.get(key, options);
    },
    async getMany(items, options) {
      if (!items.some(({ sk }) => sk === "CREDENTIAL")) return usual.getMany(items, options);
      const isCheap = options?.consistent === false;
      noteRead("account", isCheap);
      const first = beforeReading;
      beforeReading = null;
      await first?.();
      const found = await usual.getMany(items, options);
      return isCheap ? found.filter(({ sk }) => !lagging.has(sk)) : found;
    },
    async put(item, expectation) {
      note(nameOf(item) === "sessions" ? "put sessions" : "put");
      await usual.put(item, expectation);
    },
    async extendUntil(...args) {
      note("extendUntil");
      return usual.extendUntil(...args);
    },
    async transact(...args) {
      const first = beforeWriting;
      beforeWriting = null;
      await first?.();
      note("transact");
      changed -= 1;
      if (changed >= 0) throw new ConditionFailed("changed");
      await usual.transact(...args);
    },
  };
};

const s = testEnvironment({
  services: () => ({ clock: () => now, throttles: LIMITS }),
  database: watched,
  timeLeft: () => (broken.has("transact") ? 0 : 20_000),
});
const { done, edit } = shortRequests(s);

const forget = (): void => {
  [calls, reads] = [[], []];
  hash.mockClear();
};

beforeEach(() => {
  now = Date.now();
  [broken, lagging, beforeReading, beforeWriting, changed] = [new Map(), new Set(), null, null, 0];
  forget();
});

/** The address of the n-th bot. */
const bot = (n: number): string => `192.0.2.${n + 1}`;

/** It also claims another address, which must not count. */
const login = (alias: string, password = PASSWORD, from = HOME, more: object = {}): Promise<Result> => {
  const headers = { "x-forwarded-for": bot(calls.length), forwarded: `for=${bot(calls.length)}` };
  return s.call("POST /login", { body: { alias, password, ...more }, from, headers });
};
const guess = (alias: string, from = HOME): Promise<Result> => login(alias, WRONG, from);
const signUp = (alias: string, from: string, more: object = {}, key?: string): Promise<Result> =>
  s.call("POST /new", { body: { alias, password: PASSWORD, ...more }, from, key });
const change = (more: Record<string, unknown>, from = AWAY): Promise<Result> =>
  s.call("POST /change_password", {
    body: { alias: "Ada", new_password: "a better password", ...more },
    from,
  });
const look = (as: TestPlayer) => s.call("GET /player/{url_id}", { as });

const waitOf = ({ status, headers, body }: Result) => [
  status,
  headers["retry-after"],
  body.code,
  body.detail,
];

/** The statuses of this many guesses. */
const guesses = async (times: number, alias: string, from = HOME): Promise<number[]> => {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) statuses.push((await guess(alias, from)).status);
  return statuses;
};

const credentialOf = async ({ id }: TestPlayer) => (await s.store.account(id)).credential;
const allowance = async (): Promise<unknown> =>
  (await s.store.db.get(keys.throttle("FAILURES", HOME)))?.full_at;
const failed = async () =>
  (await scan(s)).filter(({ failures }) => Array.isArray(failures) && failures.length > 0);

describe("what is read", () => {
  const CHEAP = ["player eventually", "game eventually"];
  it("is consistent where a decision depends on it, and the sessions always", async () => {
    const [ada, gm] = [await s.join("Ada"), await s.admin()];
    for (const [ask, expected] of [
      [() => look(ada), CHEAP],
      [() => edit(ada, { first_name: "A" }), ["player", "game"]],
      [() => s.call("GET /admin/player_count/{url_id}", { as: gm }), ["player", "game eventually"]],
    ] as const) {
      forget();
      expect((await ask()).status).toBe(200);
      expect(reads.slice(0, 3)).toEqual(["sessions", ...expected]);
    }
  });

  it("is read again for a player whom the copy does not have yet, but not without a session", async () => {
    const ada = await s.join("Ada");
    lagging = new Set(["player"]);
    forget();
    expect((await look(ada)).body.alias).toBe("Ada");
    expect(reads).toEqual(["sessions", ...CHEAP, "player"]);
    forget();
    const token = `${ada.token.slice(0, -1)}${ada.token.endsWith("A") ? "B" : "A"}`;
    const rejected = await look({ ...ada, token });
    expect(rejected.body.detail).toBe("This session has ended. Log in again.");
    expect(reads).toEqual(["sessions", ...CHEAP]);
  });

  it.each<[when: string, lags: string[], conflicts: number, again: string[]]>([
    ["", [], 0, []],
    [", and consistently for one that has just been opened", ["sessions"], 0, ["sessions", "player"]],
    [", and consistently after a conflict", [], 1, ["sessions", "player"]],
  ])("by a logout is a session, eventually consistently%s", async (_when, lags, conflicts, again) => {
    const ada = await s.join("Ada");
    [lagging, changed] = [new Set(lags), conflicts];
    forget();
    expect((await s.call("POST /logout", { as: ada, body: { everywhere: true } })).status).toBe(204);
    expect(reads).toEqual(["sessions eventually", "player eventually", ...again]);
    expect((await s.store.sessions(ada.id))?.sessions).toEqual([]);
  });

  it("by a login is the alias and an eventually consistent account; on conflict the account, but not the allowance", async () => {
    await s.join("Ada");
    forget();
    changed = 1;
    expect((await login("Ada")).status).toBe(200);
    expect(reads.toSorted()).toEqual([
      "account",
      "account eventually",
      "alias",
      "alias",
      "allowance eventually",
    ]);
  });

  it.each(["PROFILE", "CREDENTIAL"])(
    "by a login is the account again when the copy has no %s yet",
    async (sk) => {
      await s.join("Ada");
      forget();
      lagging = new Set([sk]);
      expect((await login("Ada", PASSWORD, HERE)).status).toBe(200);
      expect(reads).toEqual(["alias", "account eventually", "account"]);
    },
  );
});

it.each([
  ["somebody has just written the sessions", new ConditionFailed("moved"), 0],
  ["the database is busy", new DatabaseBusy("away"), 0],
  ["it cannot be written", new TypeError("no such thing"), 1],
])("the use of a session is not recorded when %s", async (_why, error, lines) => {
  const ada = await s.join("Ada");
  const logged = vi.spyOn(log, "error").mockImplementation(() => {});
  now += 2 * DAY;
  broken = new Map([["put sessions", error]]);
  forget();
  expect((await look(ada)).status).toBe(200);
  expect(calls).toContain("put sessions");
  expect(logged.mock.calls).toEqual(Array(lines).fill(["session use not recorded", { error }]));
  logged.mockRestore();
});

it("an alias that changes hands between two reads is no longer its player's, who is charged with no failure", async () => {
  const ada = await s.join("Ada");
  beforeReading = () => edit(ada, { alias: "Beatrice" });
  expect((await login("Ada")).status).toBe(401);
  expect((await credentialOf(ada))?.failures ?? []).toEqual([]);
  expect((await login("Beatrice")).status).toBe(200);
  beforeReading = () => s.must("DELETE /delete_player/{url_id}", { as: ada });
  expect((await guess("Beatrice")).status).toBe(401);
  expect(await credentialOf(ada)).toBeNull();
});

describe("failed logins at one account", () => {
  it("are all counted for an alias that nobody has, also concurrent ones, without the address, and expire", async () => {
    beforeWriting = () => guess("Nobody");
    await guess("Nobody");
    expect(await failed()).toMatchObject([{ rev: 2, failures: [{ count: 2 }] }]);
    expect(JSON.stringify(await failed())).not.toContain(HOME);
    now += HOUR / 2;
    await guess("Nobody");
    const expires = Math.ceil((now + 2 * LIMITS.newAddresses.rememberMs) / SECOND);
    expect(await failed()).toMatchObject([{ expires, failures: [{ count: 3 }] }]);
  });

  it("also charge the address when they are concurrent and have to wait", async () => {
    await s.join("Ada");
    await guesses(4, "Ada");
    beforeWriting = async () => {
      expect((await guess("Ada")).status).toBe(401);
    };
    expect((await guess("Ada")).status).toBe(429);
    expect(await allowance()).toBe(now + 6 * EVERY);
  });

  it("are none where the service failed", async () => {
    const ada = await s.join("Ada");
    broken = new Map([["transact", new DatabaseBusy("away")]]);
    expect(waitOf(await guess("Ada"))).toMatchObject([503, /./, "unavailable", /./]);
    broken = new Map();
    await s.store.db.put({ ...keys.credential(ada.id), ...(await credentialOf(ada)), hash: "rubbish" });
    expect((await guess("Ada")).body.code).toBe("internal");
    expect([await allowance(), (await credentialOf(ada))?.failures]).toEqual([undefined, undefined]);
  });

  it("are checked five times when fifty come concurrently, the right password among them", async () => {
    await s.join("Ada");
    const tries = Array.from({ length: 50 }, (_, n) => (n === 49 ? PASSWORD : `${WRONG} ${n}`));
    const results = await Promise.all(tries.map((password) => login("Ada", password)));
    const right = results.pop();
    const counted = Map.groupBy(results, ({ status }) => status);
    expect([...counted.keys()].toSorted()).toEqual([401, 429]);
    // A success among them clears what was counted before.
    expect(counted.get(401)?.length).toBeLessThanOrEqual(right?.status === 200 ? 9 : 5);
    expect([200, 429]).toContain(right?.status);
  });

  it("cost and answer the same for an alias that nobody has", async () => {
    await s.join("Ada");
    const responsesFor = async (alias: string) => {
      const responses: unknown[] = [];
      const start = now;
      for (let n = 0; n < 8; n += 1) {
        forget();
        const result = await guess(alias, alias === "Ada" ? HOME : AWAY);
        responses.push([...waitOf(result), calls.toSorted(), hash.mock.calls.length]);
        now += n === 6 ? SECOND : 0;
      }
      now = start;
      return responses;
    };
    const known = await responsesFor("Ada");
    expect(known[0]).toContain(1);
    expect(await responsesFor("Nobody")).toEqual(known);
    expect(await responsesFor("ＮＯＢＯＤＹ")).not.toEqual(known);
  });

  it("by a recovery code count for the address alone, and do not wait for wrong passwords", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const { recovery_code } = await done(gm, "recover_password", { alias: "Ada" });
    expect((await guesses(6, "Ada")).at(-1)).toBe(429);
    expect((await change({ recovery_code }, HOME)).status).toBe(200);
    const before = await credentialOf(ada);
    for (let n = 0; n < 12; n += 1) {
      const alias = n % 2 === 0 ? "Ada" : "Nobody";
      expect((await change({ alias, recovery_code: "AAAA-BBBB" })).body.code).toBe("bad_credentials");
    }
    expect(await credentialOf(ada)).toEqual(before);
    expect((await change({ recovery_code: "AAAA-BBBB" })).status).toBe(429);
  });

  it("cost one counter, and a success after them no extra write", async () => {
    await s.join("Ada");
    const written = async (password: string) => {
      forget();
      await login("Ada", password);
      return calls.filter((name) => name !== "get").toSorted();
    };
    expect(await written(PASSWORD)).toEqual(["transact"]);
    // The counter, the log, and the address's.
    expect(await written(WRONG)).toEqual(["extendUntil", "put", "transact"]);
    expect(await written(PASSWORD)).toEqual(["transact"]);
    const [credential] = (await scan(s)).filter(({ sk, hash }) => sk === "CREDENTIAL" && hash);
    expect(credential).toMatchObject({ failures: [] });
    expect(credential).not.toHaveProperty("expires");
  });
});

it("an owner whose account is attacked logs in with their own device, also where the address may fail no more", async () => {
  const ada = await s.join("Ada");
  await s.join("Ben");
  const { device_token, token } = (await login("Ada")).body;
  const { device_token: bens } = (await login("Ben")).body;
  // Ada logs out at home, and makes a mistake there: it does not count as new.
  await s.must("POST /logout", { as: { ...ada, token } });
  await guess("Ada");
  for (let n = 0; n < 32; n += 1) {
    now += n % 8 === 0 ? 2 * SECOND : 0;
    await guess("Ada", bot(n % 8));
  }
  expect((await login("Ada", PASSWORD, bot(1))).status).toBe(429);
  expect((await login("Ada")).status).toBe(200);
  for (let n = 0; n < 12; n += 1) await guess(`Nobody ${n}`, bot(0));
  const withDevice = (token: unknown, from: string) => login("Ada", PASSWORD, from, { device_token: token });
  for (const token of [bens, `${device_token}x`, null]) {
    expect((await withDevice(token, bot(0))).status).toBe(429);
    const entered = await withDevice(token, AWAY);
    expect(entered).toMatchObject({ status: 200, body: { device_token: expect.any(String) } });
    expect(entered.body.device_token).not.toBe(token);
  }
  // The same token is returned: a browser that loses the response keeps its device.
  expect(await withDevice(device_token, bot(0))).toMatchObject({ status: 200, body: { device_token } });
  expect(JSON.stringify(await scan(s))).not.toContain(device_token.slice(-43));
  expect((await change({ current_password: PASSWORD, device_token }, bot(1))).status).toBe(204);
});

describe("one address", () => {
  it("may fail a limited number of times at any accounts, while successes are free, and more as time goes by", async () => {
    for (const alias of ["Ada", "Ben"]) await s.join(alias);
    for (let n = 0; n < 12; n += 1) {
      expect((await login("Ada")).status).toBe(200);
      expect((await guess(`Nobody ${n}`)).status).toBe(401);
    }
    const why = "Too many failed attempts from this address. Try again later.";
    expect(waitOf(await guess("Nobody 99"))).toEqual([429, "2", "too_many_attempts", why]);
    // Ada is known at this address, Ben is not.
    expect((await login("Ada")).status).toBe(200);
    expect((await login("Ben")).status).toBe(429);
    expect((await login("Ben", PASSWORD, AWAY)).status).toBe(200);
    now += EVERY;
    expect((await guess("Nobody 98")).status).toBe(401);
    expect((await guess("Nobody 97")).status).toBe(429);
  });

  it("may register a limited number of players, whatever key they use, and more as time goes by", async () => {
    for (let n = 0; n < 9; n += 1) expect((await signUp("?", HOME)).status).toBe(400);
    const all = Array.from({ length: 20 }, (_, n) => signUp(`Player ${n}`, HOME, {}, `key-${n}`));
    const counted = Map.groupBy((await Promise.all(all)).map(waitOf), ([status]) => status);
    expect([counted.get(201)?.length, counted.get(429)?.length]).toEqual([3, 17]);
    const why = "Too many registrations from this address. Try again later.";
    for (const one of counted.get(429) ?? []) expect(one).toEqual([429, "1", "too_many_attempts", why]);
    const [item] = (await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#THROTTLE#"));
    expect(item).toMatchObject({ pk: `SECRET#THROTTLE#REGISTRATIONS#${HOME}`, expires: expect.any(Number) });
    expect((await signUp("Elsewhere", AWAY)).status).toBe(201);
    now += SECOND;
    expect((await signUp("Later", HOME)).status).toBe(201);
    expect((await signUp("Latest", HOME)).status).toBe(429);
  });

  it("may try a join code as often as register, also with an invalid body", async () => {
    s.services.joinCode = "the right one";
    const trial = (join_code: string, alias = "Ada") => signUp(alias, HOME, { join_code });
    expect((await trial("a wrong one")).status).toBe(400);
    expect((await trial("another", "?")).body.errors).toHaveLength(2);
    expect((await trial("a third")).status).toBe(400);
    // If the right one were still accepted now, it could be told from the wrong ones.
    expect(waitOf(await trial("the right one")).slice(0, 3)).toEqual([429, "1", "too_many_attempts"]);
    now += SECOND;
    expect((await trial("the right one")).status).toBe(201);
  });

  it("may do all of this without limit when it is this machine's own", async () => {
    for (const from of [HERE, "::1"]) {
      for (let n = 0; n < 13; n += 1) expect((await guess(`Nobody ${n}`, from)).status).toBe(401);
      for (let n = 0; n < 4; n += 1)
        expect((await signUp(`Player ${from.length} ${n}`, from)).status).toBe(201);
      now += HOUR;
    }
  });
});

it.each(["get", "extendUntil"])(
  "a login and a registration are 503 when the database fails in %s",
  async (call) => {
    await s.join("Ada");
    broken = new Map([[call, new DatabaseBusy("away")]]);
    for (const result of [await guess("Ada"), await signUp("Ben", HOME)])
      expect(waitOf(result).slice(0, 3)).toEqual([503, expect.any(String), "unavailable"]);
  },
);
