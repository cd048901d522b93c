/**
 * Logins and registrations: their rate limits by account and by address, on the service's own clock, and what they read.
 * The lengths of waits are in `tests/unit/backoff.test.ts`, and random attempts in `tests/battery/model`.
 */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { addressDigest } from "../../lib/auth/devices.ts";
import { verifyPassword } from "../../lib/auth/password.ts";
import { THROTTLES } from "../../lib/domain/backoff.ts";
import { HOUR, SECOND } from "../../lib/domain/time.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { keys } from "../../lib/store/keys.ts";
import { type RequestOptions, type Result, type Someone, testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

vi.mock("../../lib/auth/password.ts", async (original) => {
  const real = await original<typeof import("../../lib/auth/password.ts")>();
  return { ...real, verifyPassword: vi.fn(real.verifyPassword) };
});

const PASSWORD = "correct horse battery";
const WRONG = "not the password";
const BETTER = "a better password";
const HOME = "203.0.113.7";
const AWAY = "198.51.100.9";
const EVERY = 2 * SECOND;

/** Twelve failures from an address at once, and one more every two seconds; three registrations, one a second. */
const LIMITS = {
  ...THROTTLES,
  failures: { burst: 12, intervalMs: EVERY },
  registrations: { burst: 3, intervalMs: SECOND },
};

let now = 0;
/** The calls of the database, and those of them that read an alias, an account or an address's allowance. */
let calls: string[] = [];
let reads: string[] = [];
let broken: Set<string> = new Set();
/** Items that an eventually consistent read of an account does not find yet. */
let lagging: Set<string> = new Set();
/** Called once, before the next account is read or the next transaction is written. */
let beforeReading: (() => Promise<unknown>) | null = null;
let beforeWriting: (() => Promise<unknown>) | null = null;
/** How many transactions fail because something has changed. */
let changed = 0;

const watched = (usual: Database): Database => {
  const note = (name: string): void => {
    calls.push(name);
    if (broken.has(name)) throw new DatabaseBusy("away");
  };
  return {
    ...usual,
    async get(key, options) {
      note("get");
      if (key.pk.includes("THROTTLE#")) reads.push("allowance");
      if (key.pk.startsWith("ALIAS#")) reads.push("alias");
      return usual.get(key, options);
    },
    async getMany(items, options) {
      if (!items.some(({ sk }) => sk === "CREDENTIAL")) return usual.getMany(items, options);
      const isCheap = options?.consistent === false;
      reads.push(isCheap ? "account, eventually" : "account");
      const first = beforeReading;
      beforeReading = null;
      await first?.();
      const found = await usual.getMany(items, options);
      return isCheap ? found.filter(({ sk }) => !lagging.has(sk)) : found;
    },
    async put(...args) {
      note("put");
      await usual.put(...args);
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

const forget = (): void => {
  [calls, reads] = [[], []];
  vi.mocked(verifyPassword).mockClear();
};

beforeEach(() => {
  now = Date.now();
  [broken, lagging, beforeReading, beforeWriting, changed] = [new Set(), new Set(), null, null, 0];
  forget();
});

const login = (alias: string, password: string, from = HOME, more: RequestOptions = {}): Promise<Result> =>
  s.call("POST /login", { body: { alias, password }, from, ...more });
const guess = (alias: string, from = HOME): Promise<Result> => login(alias, WRONG, from);
const register = (alias: string, from: string, more: RequestOptions = {}): Promise<Result> =>
  s.call("POST /new", { body: { alias, password: PASSWORD }, from, ...more });
const change = (more: Record<string, unknown>, from = AWAY): Promise<Result> =>
  s.call("POST /change_password", { body: { alias: "Ada", new_password: BETTER, ...more }, from });

const outcomeOf = ({ status, headers, body }: Result) => [
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

/** The address of the n-th bot. */
const bot = (n: number): string => `192.0.2.${n + 1}`;

const credentialOf = async ({ id }: Someone) => (await s.store.account(id)).credential;
const allowanceOf = async (what = "FAILURES"): Promise<unknown> =>
  (await s.store.db.get(keys.throttle(what, HOME)))?.full_at;
const failed = async () =>
  (await scan(s)).filter(({ failures }) => Array.isArray(failures) && failures.length > 0);

describe("a login reads", () => {
  it("the alias and an eventually consistent account; on conflict the account itself, but not the allowance", async () => {
    await s.join("Ada");
    forget();
    expect((await login("Ada", PASSWORD, "127.0.0.1")).status).toBe(200);
    expect(reads).toEqual(["alias", "account, eventually"]);
    forget();
    changed = 1;
    expect((await login("Ada", PASSWORD)).status).toBe(200);
    expect(reads.toSorted()).toEqual(["account", "account, eventually", "alias", "alias", "allowance"]);
  });

  it.each(["PROFILE", "CREDENTIAL"])(
    "the account again when the copy that it read has no %s yet",
    async (sk) => {
      await s.join("Ada");
      forget();
      lagging = new Set([sk]);
      expect((await login("Ada", PASSWORD, "127.0.0.1")).status).toBe(200);
      expect(reads).toEqual(["alias", "account, eventually", "account"]);
    },
  );
});

describe("an alias that changes hands between two reads", () => {
  it("is no longer its player's, who is charged with no failure", async () => {
    const ada = await s.join("Ada");
    beforeReading = () => s.must("POST /edit_player/{url_id}", { as: ada, body: { alias: "Beatrice" } });
    expect((await login("Ada", PASSWORD)).status).toBe(401);
    expect((await credentialOf(ada))?.failures ?? []).toEqual([]);
    expect((await login("Beatrice", PASSWORD)).status).toBe(200);
    beforeReading = () => s.must("DELETE /delete_player/{url_id}", { as: ada });
    expect((await guess("Beatrice")).status).toBe(401);
    expect(await credentialOf(ada)).toBeNull();
  });
});

describe("failed logins at one account", () => {
  it("are written on top of what was read, for a digest of the address", async () => {
    const ada = await s.join("Ada");
    const before = await credentialOf(ada);
    expect((await guess("Ada", "127.0.0.1")).body.detail).toBe("The alias or the password is wrong.");
    const from = addressDigest({ address: "127.0.0.1", isLoopback: true });
    expect(await credentialOf(ada)).toEqual({
      ...before,
      rev: (before?.rev ?? 0) + 1,
      failures: [{ from, count: 1, last: now }],
    });
  });

  it("are all counted for an alias that nobody has, also concurrent ones, and expire", async () => {
    beforeWriting = () => guess("Nobody");
    await guess("Nobody");
    expect(await failed()).toMatchObject([{ rev: 2, failures: [{ count: 2 }] }]);
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
    expect(await allowanceOf()).toBe(now + 6 * EVERY);
  });

  it("are none where the service failed", async () => {
    const ada = await s.join("Ada");
    broken = new Set(["transact"]);
    expect(outcomeOf(await guess("Ada"))).toMatchObject([503, /./, "unavailable", /./]);
    broken = new Set();
    await s.store.db.put({ ...keys.credential(ada.id), ...(await credentialOf(ada)), hash: "rubbish" });
    expect(outcomeOf(await guess("Ada"))[2]).toBe("internal");
    expect(await allowanceOf()).toBeUndefined();
    expect((await credentialOf(ada))?.failures).toBeUndefined();
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
        const checks = vi.mocked(verifyPassword).mock.calls.length;
        responses.push([...outcomeOf(result), calls.toSorted(), checks]);
        now += n === 6 ? SECOND : 0;
      }
      now = start;
      return responses;
    };
    const known = await responsesFor("Ada");
    expect(await responsesFor("Nobody")).toEqual(known);
    expect(await responsesFor("ＮＯＢＯＤＹ")).not.toEqual(known);
  });

  it("by a recovery code count for the address alone, and do not wait for wrong passwords", async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada");
    const { recovery_code } = (
      await s.must("POST /admin/recover_password/{url_id}", { as: gm, body: { alias: "Ada" } })
    ).body;
    await guesses(5, "Ada");
    expect((await guess("Ada")).status).toBe(429);
    expect((await change({ recovery_code }, HOME)).status).toBe(200);
    const before = await credentialOf(ada);
    for (let n = 0; n < 12; n += 1) {
      const alias = n % 2 === 0 ? "Ada" : "Nobody";
      const { body } = await change({ alias, recovery_code: "AAAA-BBBB" });
      expect(body.code).toBe("bad_credentials");
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

describe("an owner whose account eight addresses attack", () => {
  const BOTS = Array.from({ length: 8 }, (_, n) => bot(n));

  /** All of them fail as often as they may without a wait, so that they wait for each other. */
  const attack = async (): Promise<void> => {
    for (let round = 0; round < 4; round += 1) {
      now += 2 * SECOND;
      for (const from of BOTS) await guess("Ada", from);
    }
  };

  const withDevice = (device_token: unknown, from: string, password = PASSWORD): Promise<Result> =>
    s.call("POST /login", { body: { alias: "Ada", password, device_token }, from });

  it("logs in from a new address and from one that is known, also after a mistake", async () => {
    await s.join("Ada");
    const { token } = (await login("Ada", PASSWORD)).body;
    await s.must("POST /logout", { headers: { authorization: `Bearer ${token}` } });
    // Home has failed itself, so it does not count as new.
    await guess("Ada");
    await attack();
    for (const from of BOTS) expect((await login("Ada", PASSWORD, from)).status).toBe(429);
    expect((await login("Ada", PASSWORD)).status).toBe(200);
    expect((await login("Ada", PASSWORD, AWAY)).status).toBe(200);
    expect((await guess("Ada", "198.51.100.10")).status).toBe(401);
    expect((await login("Ada", PASSWORD, "198.51.100.10")).status).toBe(200);
    expect((await change({ current_password: PASSWORD }, "198.51.100.11")).status).toBe(204);
  });

  it("logs in with their own device token, also from an attacking address that may fail no more", async () => {
    await s.join("Ada");
    await s.join("Ben");
    const { device_token } = (await login("Ada", PASSWORD)).body;
    const { device_token: bens } = (await login("Ben", PASSWORD)).body;
    expect(device_token).toMatch(/^[\w.-]{43,}$/);
    await attack();
    for (let n = 0; n < 12; n += 1) await guess(`Nobody ${n}`, bot(0));
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
    expect((await withDevice(device_token, bot(2), BETTER)).status).toBe(200);
  });
});

describe("one address", () => {
  it("may fail a limited number of times at any accounts, while successes are free, and more as time goes by", async () => {
    await s.join("Ada");
    await s.join("Ben");
    for (let n = 0; n < 12; n += 1) {
      expect((await login("Ada", PASSWORD)).status).toBe(200);
      expect((await guess(`Nobody ${n}`)).status).toBe(401);
    }
    const refused = outcomeOf(await guess("Nobody 99"));
    const why = "Too many failed attempts from this address. Try again later.";
    expect(refused).toEqual([429, "2", "too_many_attempts", why]);
    // Ada is known at this address, Ben is not.
    expect((await login("Ada", PASSWORD)).status).toBe(200);
    expect((await login("Ben", PASSWORD)).status).toBe(429);
    expect((await login("Ben", PASSWORD, AWAY)).status).toBe(200);
    now += EVERY;
    expect((await guess("Nobody 98")).status).toBe(401);
    expect((await guess("Nobody 97")).status).toBe(429);
  });

  it("is what the gateway reports, not a header, and a /64 is one", async () => {
    await s.join("Ada");
    const headers = (n: number) => ({ headers: { "x-forwarded-for": bot(n), forwarded: `for=${bot(n)}` } });
    for (let n = 0; n < 12; n += 1) await login(`Nobody ${n}`, WRONG, `2001:db8:1:2::${n}`, headers(n));
    expect((await login("Ada", PASSWORD, "2001:db8:1:2:ffff::1", headers(99))).status).toBe(429);
    expect((await login("Ada", PASSWORD, "2001:db8:1:3::1")).status).toBe(200);
  });

  it("may register a limited number of players, whatever key they use, and more as time goes by", async () => {
    for (let n = 0; n < 9; n += 1) expect((await register("?", HOME)).status).toBe(400);
    forget();
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => register(`Player ${n}`, HOME, { key: `key-${n}` })),
    );
    expect(results.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = results.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(17);
    const why = "Too many registrations from this address. Try again later.";
    for (const one of refused) expect(outcomeOf(one)).toEqual([429, "1", "too_many_attempts", why]);
    const [item] = (await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#THROTTLE#"));
    expect(item).toMatchObject({ pk: `SECRET#THROTTLE#REGISTRATIONS#${HOME}`, expires: expect.any(Number) });
    expect((await register("Elsewhere", AWAY)).status).toBe(201);
    now += SECOND;
    expect((await register("Later", HOME)).status).toBe(201);
    expect((await register("Latest", HOME)).status).toBe(429);
  });

  it("may try a join code as often as register, also with an invalid body", async () => {
    s.services.joinCode = "the right one";
    const trial = (join_code: string, alias = "Ada") =>
      s.call("POST /new", { body: { alias, password: PASSWORD, join_code }, from: HOME });
    expect((await trial("a wrong one")).status).toBe(400);
    expect((await trial("another", "?")).body.errors).toHaveLength(2);
    expect((await trial("a third")).status).toBe(400);
    // If the right one were still accepted now, it could be told from the wrong ones.
    expect(outcomeOf(await trial("the right one")).slice(0, 3)).toEqual([429, "1", "too_many_attempts"]);
    expect((await register("Ada", AWAY)).body.errors).toMatchObject([{ path: "join_code" }]);
    now += SECOND;
    expect((await trial("the right one")).status).toBe(201);
  });

  it("may do all of this without limit when it is this machine's own", async () => {
    for (const from of ["127.0.0.1", "::1"]) {
      for (let n = 0; n < 13; n += 1) expect((await guess(`Nobody ${n}`, from)).status).toBe(401);
      for (let n = 0; n < 4; n += 1) {
        expect((await register(`Player ${from.length} ${n}`, from)).status).toBe(201);
      }
      now += HOUR;
    }
  });
});

it.each(["get", "extendUntil"])(
  "a login and a registration are 503 when the database fails in %s",
  async (call) => {
    await s.join("Ada");
    broken = new Set([call]);
    for (const result of [await guess("Ada"), await register("Ben", HOME)]) {
      expect(result).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(result.headers["retry-after"]).toBeDefined();
    }
  },
);
