/**
 * Authentication, logins and registrations: what they read and how consistently, what they write, and their rate limits by
 * account and by address, on the service's own clock. The lengths of waits are in `tests/unit/backoff.test.ts`, and random
 * attempts in `tests/battery/model`.
 */
import crypto from "node:crypto";
import { syncBuiltinESMExports } from "node:module";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { makeSetUpSecret } from "../../lib/app/accounts/setUp.ts";
import { seedJoinCode } from "../../lib/app/game/seedJoinCode.ts";
import { HASHES_AT_ONCE, hashPassword, MAX_WAITING_HASHES } from "../../lib/auth/password.ts";
import { THROTTLES } from "../../lib/domain/backoff.ts";
import { DAY, HOUR, SECOND } from "../../lib/domain/time.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { MAX_BODY_BYTES } from "../../lib/http/requestBody.ts";
import { log } from "../../lib/runtime/log.ts";
import { keys, logsList } from "../../lib/store/keys.ts";
import { loadEndpoints } from "../../scripts/local/inProcess.ts";
import { CHEAP } from "../support/cost.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const publicRoutes = [...(await loadEndpoints())]
  .filter(([, { endpoint }]) => endpoint.access === "public")
  .map(([route]) => route);

/** Counts the hashes of passwords, even if another test file of the same worker has already loaded the service. */
const hash = vi.spyOn(crypto, "argon2");
syncBuiltinESMExports();
afterAll(() => {
  hash.mockRestore();
  syncBuiltinESMExports();
});

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

/** The calls of the database, and the sort keys of its eventually consistent reads, which find nothing yet if they lag. */
let [calls, eventualReads]: [string[], string[]] = [[], []];
let isLagging = false;

const database = (usual: Database): Database => ({
  ...usual,
  async get(key, options) {
    if (options?.consistent !== false) return usual.get(key, options);
    eventualReads.push(key.sk);
    return isLagging ? undefined : usual.get(key, options);
  },
  async getMany(items, options) {
    if (options?.consistent !== false) return usual.getMany(items, options);
    eventualReads.push(...items.map(({ sk }) => sk));
    return isLagging ? [] : usual.getMany(items, options);
  },
});

const s = testEnvironment({ at: Date.now(), services: () => ({ throttles: LIMITS }), database });
const { done, edit, register } = shortRequests(s);

const clearRecords = (): void => {
  [calls, eventualReads] = [[], []];
  hash.mockClear();
};
/** Records the database calls from now on, and runs `work` before each; `work` may throw. */
const beforeCalls = (work: (call: string) => unknown): void => {
  s.beforeCall = async (call) => {
    calls.push(call);
    await work(call);
  };
};
/** Runs `work` before the next call of this name. */
const beforeNext = (name: string, work: () => unknown): void => {
  let isDone = false;
  beforeCalls((call) => {
    if (isDone || call !== name) return;
    isDone = true;
    return work();
  });
};
const failCalls = (name: string, error: Error): void =>
  beforeCalls((call) => {
    if (call === name) throw error;
  });
beforeEach(() => {
  isLagging = false;
  beforeCalls(() => {});
  clearRecords();
});

/** The address of the n-th bot. */
const bot = (n: number): string => `192.0.2.${n + 1}`;

/** Logs in. The request has forged forwarding headers, which must be ignored. */
const login = (alias: string, password = PASSWORD, from = HOME, more: object = {}): Promise<Result> => {
  const headers = { "x-forwarded-for": bot(calls.length), forwarded: `for=${bot(calls.length)}` };
  return s.call("POST /login", { body: { alias, password, ...more }, from, headers });
};
const guess = (alias: string, from = HOME): Promise<Result> => login(alias, WRONG, from);
const signUp = (alias: string, from: string, more: object = {}, key?: string): Promise<Result> =>
  register(alias, more, { from, key });
const change = (more: object, from = AWAY): Promise<Result> =>
  s.call("POST /change_password", {
    body: { alias: "Ada", new_password: "a better password", ...more },
    from,
  });
const getPlayer = (as: TestPlayer) => s.call("GET /player/{url_id}", { as });

const refusalOf = ({ status, headers, body }: Result) => [
  ...[status, headers["retry-after"], body.code, body.detail],
];

/** The statuses of this many guesses. */
const guesses = async (times: number, alias: string, from = HOME): Promise<number[]> => {
  const statuses: number[] = [];
  for (let n = 0; n < times; n += 1) statuses.push((await guess(alias, from)).status);
  return statuses;
};

const credentialOf = async ({ id }: TestPlayer) => (await s.store.account(id)).credential;
const allowanceFullAt = async (): Promise<unknown> =>
  (await s.store.db.get(keys.throttle("FAILURES", HOME)))?.full_at;
const failureItems = async () =>
  (await scan(s)).filter(({ failures }) => Array.isArray(failures) && failures.length > 0);

const logout = (as: TestPlayer) => s.call("POST /logout", { as, body: { everywhere: true } });

it.each<[string, string[], (as: TestPlayer) => Promise<Result>]>([
  ["a player's request", ["PROFILE", keys.game.sk], getPlayer],
  ["a game master's request", [keys.game.sk], (as) => s.call("GET /admin/player_count/{url_id}", { as })],
  ["an edit of the profile", [], (as) => edit(as, { first_name: "A" })],
  ["a login", ["CREDENTIAL", "PROFILE", "SESSIONS"], ({ alias, password }) => login(alias, password, HERE)],
  ["a logout", ["SESSIONS", "PROFILE"], logout],
])(
  "%s makes the eventually consistent reads %j, and succeeds if these lag and after a conflict",
  async (...row) => {
    const [, expected, send] = row;
    const { id, alias, password } = await s.admin("Ada", true);
    for (const lags of [false, true]) {
      const as = await s.login(alias, password);
      // By then the process does not show the game that it has read before.
      s.now += SECOND;
      clearRecords();
      isLagging = lags;
      beforeNext("transact", () => Promise.reject(new ConditionFailed("changed")));
      expect((await send(as)).status).toBe(send === logout ? 204 : 200);
      expect(eventualReads.toSorted()).toEqual(expected.toSorted());
      if (send === logout) expect((await s.store.sessions(id))?.sessions).toEqual([]);
      isLagging = false;
    }
  },
);

it.each([
  ["somebody has just written the sessions", new ConditionFailed("changed"), 0],
  ["the database is busy", new DatabaseBusy("throttled"), 0],
  ["the write fails", new TypeError("invalid item"), 1],
])(
  "a request succeeds although the use of its session cannot be recorded: %s",
  async (_why, error, lines) => {
    const ada = await s.join("Ada");
    const logged = vi.spyOn(log, "error").mockImplementation(() => {});
    s.now += 2 * DAY;
    clearRecords();
    failCalls("put", error);
    expect((await getPlayer(ada)).status).toBe(200);
    expect(calls).toContain("put");
    expect(logged.mock.calls).toEqual(Array(lines).fill(["session use not recorded", { error }]));
    logged.mockRestore();
  },
);

it("a login fails, and counts no failure, if its player gives up the alias or deletes the account between two reads", async () => {
  const ada = await s.join("Ada");
  beforeNext("getMany", () => edit(ada, { alias: "Beatrice" }));
  expect((await login("Ada")).status).toBe(401);
  expect((await credentialOf(ada))?.failures ?? []).toEqual([]);
  expect((await login("Beatrice")).status).toBe(200);
  beforeNext("getMany", () => s.must("DELETE /delete_player/{url_id}", { as: ada }));
  expect((await guess("Beatrice")).status).toBe(401);
  expect(await credentialOf(ada)).toBeNull();
});

it("a login with a password that is changed at the same time fails", async () => {
  await s.join("Ada");
  s.beforeTransaction(async () => void (await change({ current_password: PASSWORD }, HOME)));
  expect((await login("Ada")).status).toBe(401);
  expect((await login("Ada", "a better password")).status).toBe(200);
});

describe("failed logins at one account", () => {
  it("are counted for an unknown alias, even if concurrent; they expire, and the address is not stored", async () => {
    beforeNext("transact", () => guess("Nobody"));
    await guess("Nobody");
    expect(await failureItems()).toMatchObject([{ rev: 2, failures: [{ count: 2 }] }]);
    expect(JSON.stringify(await failureItems())).not.toContain(HOME);
    s.now += HOUR / 2;
    await guess("Nobody");
    const expires = Math.ceil((s.now + 2 * LIMITS.newAddresses.rememberMs) / SECOND);
    expect(await failureItems()).toMatchObject([{ expires, failures: [{ count: 3 }] }]);
  });

  it("count for the address even if a concurrent failure has made them wait", async () => {
    await guesses(4, "Nobody");
    beforeNext("transact", () => guess("Nobody"));
    expect((await guess("Nobody")).status).toBe(429);
    expect(await allowanceFullAt()).toBe(s.now + 6 * EVERY);
  });

  it("are not counted if the service fails; logins and registrations are 503 while the database is busy", async () => {
    const ada = await s.join("Ada");
    const unavailable = [503, expect.any(String), "unavailable", expect.any(String)];
    const busy = new DatabaseBusy("throttled");
    s.timeLeft = () => 0;
    failCalls("transact", busy);
    expect(refusalOf(await guess("Ada"))).toEqual(unavailable);
    s.timeLeft = undefined;
    beforeCalls(() => {});
    await s.store.db.put({ ...keys.credential(ada.id), ...(await credentialOf(ada)), hash: "rubbish" });
    expect((await guess("Ada")).body.code).toBe("internal");
    expect([await allowanceFullAt(), (await credentialOf(ada))?.failures]).toEqual([undefined, undefined]);
    for (const call of ["get", "extendUntil"]) {
      failCalls(call, busy);
      for (const result of [await guess("Nobody"), await signUp("Ben", HOME)])
        expect(refusalOf(result), call).toEqual(unavailable);
    }
  });

  it("cause the same database calls and get the same response for an unknown alias", async () => {
    const ada = await s.join("Ada");
    const responsesFor = async (alias: string, from: string) => {
      const responses: unknown[] = [];
      const start = s.now;
      for (let n = 0; n < 8; n += 1) {
        clearRecords();
        responses.push([...refusalOf(await guess(alias, from)), calls.toSorted(), hash.mock.calls.length]);
        s.now += n === 6 ? SECOND : 0;
      }
      s.now = start;
      return responses;
    };
    const known = await responsesFor("Ada", HOME);
    // One hash; the counter, the log, and the allowance of the address are written.
    const made = ["extendUntil", "get", "get", "getMany", "put", "transact"];
    expect(known[0]).toEqual(expect.arrayContaining([made, 1]));
    expect(await responsesFor("Nobody", AWAY)).toEqual(known);
    // The same alias in full width shares the counter, so it has to wait.
    expect(await responsesFor("ＮＯＢＯＤＹ", AWAY)).not.toEqual(known);
    s.now += HOUR;
    // A success clears them without a further write.
    clearRecords();
    await login("Ada");
    expect(calls.filter((name) => !name.startsWith("get"))).toEqual(["transact"]);
    const { credential } = await s.store.account(ada.id);
    expect(credential).toMatchObject({ failures: [] });
    expect(credential).not.toHaveProperty("expires");
  });

  it("with a recovery code count only for the address, and are not delayed by wrong passwords", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const { recovery_code } = await done(gm, "recover_password", { alias: "Ada" });
    expect((await guesses(6, "Ada")).at(-1)).toBe(429);
    expect((await change({ recovery_code }, HOME)).status).toBe(200);
    // Whoever had taken over the account is logged out.
    expect((await getPlayer(ada)).status).toBe(403);
    const before = await credentialOf(ada);
    for (let n = 0; n < 12; n += 1) {
      const alias = n % 2 === 0 ? "Ada" : "Nobody";
      await expectRefused(change({ alias, recovery_code: "AAAA-BBBB" }), "bad_credentials");
    }
    expect(await credentialOf(ada)).toEqual(before);
    expect((await change({ recovery_code: "AAAA-BBBB" })).status).toBe(429);
    // A change of the password makes a code of before useless.
    const issued = await done(gm, "recover_password", { alias: "Ada" });
    expect((await change({ current_password: "a better password" }, HOME)).status).toBe(204);
    await expectRefused(change({ recovery_code: issued.recovery_code }, HOME), "bad_credentials");
  });
});

it("an owner whose account is attacked logs in with their own device, even from an address that has used up its failures", async () => {
  const ada = await s.join("Ada");
  await s.join("Ben");
  const { device_token } = (await login("Ada")).body;
  const { device_token: bens } = (await login("Ben")).body;
  const leaveHome = async () => {
    const { token } = (await login("Ada")).body;
    await s.must("POST /logout", { as: { ...ada, token }, body: { everywhere: true } });
  };
  // Ada makes a mistake at home, without a session: the address is known, and does not count as new.
  await leaveHome();
  await guess("Ada");
  await leaveHome();
  for (let n = 0; n < 32; n += 1) {
    s.now += n % 8 === 0 ? 2 * SECOND : 0;
    await guess("Ada", bot(n % 8));
  }
  expect((await login("Ada", PASSWORD, bot(1))).status).toBe(429);
  expect((await login("Ada")).status).toBe(200);
  // A login clears the failures of its device.
  for (let n = 0; n < 2; n += 1) {
    for (let times = 0; times < 4; times += 1)
      expect((await login("Ada", "not it", HOME, { device_token })).status).toBe(401);
    expect((await login("Ada", PASSWORD, HOME, { device_token })).status).toBe(200);
  }
  for (let n = 0; n < 12; n += 1) await guess(`Nobody ${n}`, bot(0));
  const withDevice = (token: unknown, from: string) => login("Ada", PASSWORD, from, { device_token: token });
  for (const token of [bens, `${device_token}x`, null]) {
    expect((await withDevice(token, bot(0))).status).toBe(429);
    const { body } = await withDevice(token, AWAY);
    expect(body.device_token).toEqual(expect.any(String));
    expect(body.device_token).not.toBe(token);
  }
  // The same token is returned, so a browser that loses the response still has a valid token.
  expect(await withDevice(device_token, bot(0))).toMatchObject({ status: 200, body: { device_token } });
  expect(JSON.stringify(await scan(s))).not.toContain(device_token.slice(-43));
  expect((await change({ current_password: PASSWORD, device_token }, bot(1))).status).toBe(204);
});

describe("requests that are rejected before anybody is known", () => {
  const WRITES = ["put", "transact", "extendUntil"];
  const writes = (): string[] => calls.filter((name) => WRITES.includes(name));
  const logged = async () =>
    (await s.store.db.query({ pk: logsList(0) }, 100)).items.map(({ action, outcome }) => [action, outcome]);
  const large = JSON.stringify({ alias: "x".repeat(MAX_BODY_BYTES) });

  it.each(publicRoutes)("write nothing, whatever is wrong with a request to %s", async (route) => {
    const texts = ["{}", "{", "[]", '{"unknown":1}', '{"alias":7}', large];
    const wrong = texts.map((body) => ({ body, type: "application/json" }));
    for (const raw of [...wrong, { body: "alias=Ada", type: "text/plain" }]) {
      const { status } = await s.call(route, { raw, from: HOME, query: { unknown: 1 } });
      expect(status).toBeGreaterThanOrEqual(400);
    }
    expect(writes()).toEqual([]);
  });

  it("have no log entry at an unknown alias either, whose attempts fill no table", async () => {
    await s.join("Ada");
    const before = await logged();
    for (const alias of ["Nobody", "Nobody Else"]) {
      await guess(alias);
      await change({ alias, recovery_code: "AAAA-BBBB" });
      await change({ alias, current_password: WRONG });
    }
    expect(await logged()).toEqual(before);
    const traces = (await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#NOBODY#"));
    // The failures at each alias, and the place of one entry.
    expect(traces).toHaveLength(3);
    expect(traces.every(({ expires }) => Number(expires) > s.now / SECOND)).toBe(true);
    await guess("Ada");
    await change({ recovery_code: "AAAA-BBBB" });
    const failed = ["login", "change_password"].map((action) => [action, "bad_credentials"]);
    expect(await logged()).toEqual([...before, ...failed]);
  });

  it("are limited where each of them writes: wrong join codes and failures of an address", async () => {
    const gm = await s.admin();
    await done(gm, "settings", { join_codes: [{ code: "spring" }] });
    clearRecords();
    for (let n = 0; n < 10; n += 1) await signUp(`Player ${n}`, HOME, { join_code: "autumn" });
    expect(writes()).toHaveLength(3);
    clearRecords();
    for (let n = 0; n < 40; n += 1) await guess(`Nobody ${n}`, AWAY);
    // Twelve failures: at the alias, of the address, and in place of an entry.
    expect(writes()).toHaveLength(36);
  });

  it("fill no log at a known account either: wrong recovery codes from its own address or device, one after the other or at once, and logins of somebody banned", async () => {
    const gm = await s.admin();
    await signUp("Ada", HOME);
    const { device_token } = (await login("Ada")).body;
    const { recovery_code } = await done(gm, "recover_password", { alias: "Ada" });
    const before = await logged();
    const wrong = { recovery_code: "AAAA-BBBB", device_token };
    const atOnce = await Promise.all(Array.from({ length: 40 }, () => change(wrong, HOME)));
    const inTurn: Result[] = [];
    for (let n = 0; n < 40; n += 1) inTurn.push(await change(wrong, HOME));
    const failed = [...atOnce, ...inTurn].filter(({ status }) => status === 401);
    expect(failed).toHaveLength(12);
    expect(inTurn.at(-1)?.status).toBe(429);
    expect(await logged()).toHaveLength(before.length + 12);
    // The right code still lets the owner in there.
    expect((await change({ recovery_code, new_password: PASSWORD }, HOME)).status).toBe(200);

    await done(gm, "ban", { alias: "Ada" });
    const { recovery_code: another } = await done(gm, "recover_password", { alias: "Ada" });
    const banned = await logged();
    for (let n = 0; n < 20; n += 1) await expectRefused(login("Ada", PASSWORD, HOME), "banned");
    const redeem = () => change({ recovery_code: another, new_password: PASSWORD }, HOME);
    for (let n = 0; n < 20; n += 1) await expectRefused(redeem(), "banned");
    expect(await logged()).toEqual(banned);
  });
});

describe("while a hundred hashes of passwords wait for their turn", () => {
  it("logins, registrations and changes of passwords are 503 with Retry-After, and count as no failure; other requests go on", async () => {
    const ada = await s.join("Ada");
    const attempts = [
      () => login("Ada"),
      () => guess("Nobody"),
      () => signUp("Ben", HOME),
      () => signUp("Ben", HOME, {}, "key"),
      () => change({ current_password: PASSWORD }),
    ];
    const held: (() => void)[] = [];
    hash.mockImplementation((_, __, then) => {
      held.push(() => then(null, Buffer.alloc(32)));
    });
    const waiting = Promise.allSettled(
      Array.from({ length: HASHES_AT_ONCE + MAX_WAITING_HASHES }, () => hashPassword(PASSWORD, CHEAP)),
    );
    try {
      await setImmediate();
      expect(held).toHaveLength(HASHES_AT_ONCE);
      const why = "Too many passwords are being checked. Try again shortly.";
      for (const send of attempts) expect(refusalOf(await send())).toEqual([503, "2", "unavailable", why]);
      for (const route of ["GET /health", "GET /public"]) expect((await s.call(route)).status).toBe(200);
      expect((await s.call("GET /live/{url_id}", { as: ada })).status).toBe(200);
      expect([await allowanceFullAt(), await failureItems()]).toEqual([undefined, []]);
    } finally {
      hash.mockReset();
      for (const release of held) release();
      expect((await waiting).map(({ status }) => status)).not.toContain("rejected");
    }
  });
});

it("a registration with login hashes the password once", async () => {
  expect((await signUp("Ada", HOME, { login: true })).status).toBe(201);
  expect(hash).toHaveBeenCalledTimes(1);
});

describe("one address", () => {
  it("may fail a limited number of times over all accounts; successes do not count, and the allowance refills", async () => {
    for (const alias of ["Ada", "Ben"]) await s.join(alias);
    for (let n = 0; n < 12; n += 1) {
      expect((await login("Ada")).status).toBe(200);
      expect((await guess(`Nobody ${n}`)).status).toBe(401);
    }
    const why = "Too many failed attempts from this address. Try again later.";
    expect(refusalOf(await guess("Nobody 99"))).toEqual([429, "2", "too_many_attempts", why]);
    // Ada is known at this address, Ben is not.
    expect((await login("Ada")).status).toBe(200);
    expect((await login("Ben")).status).toBe(429);
    expect((await login("Ben", PASSWORD, AWAY)).status).toBe(200);
    s.now += EVERY;
    expect((await guess("Nobody 98")).status).toBe(401);
    expect((await guess("Nobody 97")).status).toBe(429);
  });

  it("may register a limited number of players, whatever the idempotency keys, and the allowance refills", async () => {
    for (let n = 0; n < 9; n += 1) expect((await signUp("?", HOME)).status).toBe(400);
    const all = Array.from({ length: 20 }, (_, n) => signUp(`Player ${n}`, HOME, {}, `key-${n}`));
    const refused = (await Promise.all(all)).filter(({ status }) => status !== 201);
    expect(refused).toHaveLength(17);
    const why = "Too many registrations from this address. Try again later.";
    for (const one of refused) expect(refusalOf(one)).toEqual([429, "1", "too_many_attempts", why]);
    const [item] = (await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#THROTTLE#"));
    expect(item).toMatchObject({ pk: `SECRET#THROTTLE#REGISTRATIONS#${HOME}`, expires: expect.any(Number) });
    expect((await signUp("Elsewhere", AWAY)).status).toBe(201);
    s.now += SECOND;
    expect((await signUp("Later", HOME)).status).toBe(201);
    expect((await signUp("Latest", HOME)).status).toBe(429);
  });

  it("may guess at the set-up secret as often as at passwords", async () => {
    const setup = (await makeSetUpSecret(s.store)) ?? "";
    for (let n = 0; n < 11; n += 1) expect((await guess(`Nobody ${n}`)).status).toBe(401);
    const check = (secret: string, from = HOME) =>
      s.call("POST /check_setup", { body: { setup: secret }, from });
    // A check counts like a registration, and does not use the secret up.
    expect((await check("a guess")).body).toEqual({ state: "wrong" });
    expect((await check(setup, AWAY)).body).toEqual({ state: "valid" });
    const refused = [429, "2", "too_many_attempts"];
    expect(refusalOf(await signUp("Mal", HOME, { setup: "another" })).slice(0, 3)).toEqual(refused);
    // If the right one were still accepted now, it could be told from the wrong ones.
    expect(refusalOf(await signUp("Mal", HOME, { setup })).slice(0, 3)).toEqual(refused);
    expect(refusalOf(await check(setup)).slice(0, 3)).toEqual(refused);
    expect((await signUp("Gil", AWAY, { setup })).status).toBe(201);
    expect((await check(setup, AWAY)).body).toEqual({ state: "used" });
  });

  it("may try as many join codes as it may register players, counting requests with an invalid body", async () => {
    await seedJoinCode(s.store, "the right one", s.now);
    const trial = (join_code: string, alias = "Ada") => signUp(alias, HOME, { join_code });
    expect((await trial("a wrong one")).status).toBe(400);
    expect((await trial("another", "?")).body.errors).toHaveLength(2);
    expect((await trial("a third")).status).toBe(400);
    // If the right one were still accepted now, it could be told from the wrong ones.
    expect(refusalOf(await trial("the right one")).slice(0, 3)).toEqual([429, "1", "too_many_attempts"]);
    s.now += SECOND;
    expect((await trial("the right one")).status).toBe(201);
  });

  it("is not limited if it is loopback", async () => {
    for (const from of [HERE, "::1"]) {
      for (let n = 0; n < 13; n += 1) expect((await guess(`Nobody ${n}`, from)).status).toBe(401);
      for (let n = 0; n < 4; n += 1)
        expect((await signUp(`Player ${from.length} ${n}`, from)).status).toBe(201);
      s.now += HOUR;
    }
  });
});
