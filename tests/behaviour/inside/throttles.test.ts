/** Rate limits of logins and registrations, by account and by address, on the service's own clock. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { verifyPassword } from "../../../lib/auth/password.ts";
import { THROTTLES } from "../../../lib/domain/backoff.ts";
import type { Database } from "../../../lib/dynamodb/database.ts";
import { DatabaseBusy } from "../../../lib/dynamodb/errors.ts";
import { type RequestOptions, type Result, testEnvironment } from "../../support/service.ts";
import { scan } from "../../support/table.ts";

vi.mock("../../../lib/auth/password.ts", async (original) => {
  const real = await original<typeof import("../../../lib/auth/password.ts")>();
  return { ...real, verifyPassword: vi.fn(real.verifyPassword) };
});

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;
const HOME = "203.0.113.7";
const AWAY = "198.51.100.9";

/** Twelve failures from an address at once, and one more every two seconds; three registrations, one a second. */
const FEW = {
  ...THROTTLES,
  failures: { atOnce: 12, every: 2 * SECOND },
  registrations: { atOnce: 3, every: SECOND },
};

let now = 0;
let calls: string[] = [];
let broken: Set<string> = new Set();

const watched = (usual: Database): Database => {
  const note = (name: string): void => {
    calls.push(name);
    if (broken.has(name)) throw new DatabaseBusy("away");
  };
  return {
    ...usual,
    async get(...args) {
      note("get");
      return usual.get(...args);
    },
    async put(...args) {
      note("put");
      await usual.put(...args);
    },
    async putOff(...args) {
      note("putOff");
      return usual.putOff(...args);
    },
    async transact(...args) {
      note("transact");
      await usual.transact(...args);
    },
  };
};

const s = testEnvironment({ services: () => ({ clock: () => now, throttles: FEW }), database: watched });

beforeEach(() => {
  now = Date.now();
  calls = [];
  broken = new Set();
  vi.mocked(verifyPassword).mockClear();
});

const PASSWORD = "correct horse battery";

const login = (alias: string, password: string, from = HOME, more: RequestOptions = {}): Promise<Result> =>
  s.call("POST /login", { body: { alias, password }, from, ...more });

const guess = (alias: string, from = HOME): Promise<Result> => login(alias, "not the password", from);

const register = (alias: string, from: string, more: RequestOptions = {}): Promise<Result> =>
  s.call("POST /new", { body: { alias, password: PASSWORD }, from, ...more });

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

describe("failed logins at one account", () => {
  it("make their address wait from the fifth on, each time twice as long, up to a minute", async () => {
    await s.join("Ada");
    expect(await guesses(5, "Ada")).toEqual([401, 401, 401, 401, 401]);
    const waits: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const refused = await guess("Ada");
      expect(refused).toMatchObject({ status: 429, body: { code: "too_many_attempts" } });
      const seconds = Number(refused.headers["retry-after"]);
      waits.push(seconds);
      now += seconds * SECOND - 1;
      expect((await guess("Ada")).headers["retry-after"]).toBe("1");
      now += 1;
      expect((await guess("Ada")).status).toBe(401);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it("make the right password wait as well, no longer for trying, and are forgotten after a success", async () => {
    await s.join("Ada");
    await guesses(5, "Ada");
    vi.mocked(verifyPassword).mockClear();
    for (let n = 0; n < 40; n += 1) expect((await login("Ada", PASSWORD)).status).toBe(429);
    expect(verifyPassword).not.toHaveBeenCalled();
    now += SECOND;
    expect((await login("Ada", PASSWORD)).status).toBe(200);
    expect(await guesses(5, "Ada")).toEqual([401, 401, 401, 401, 401]);
    expect((await guess("Ada")).headers["retry-after"]).toBe("1");
  });

  it("are checked five times when fifty come concurrently, the right password among them", async () => {
    await s.join("Ada");
    vi.mocked(verifyPassword).mockClear();
    const tries = Array.from({ length: 50 }, (_, n) => (n === 49 ? PASSWORD : `not the password ${n}`));
    const results = await Promise.all(tries.map((password) => login("Ada", password)));
    const right = results.at(-1);
    const counted = Map.groupBy(results.slice(0, -1), ({ status }) => status);
    expect([...counted.keys()].toSorted()).toEqual([401, 429]);
    // A success among them clears what was counted before.
    expect(counted.get(401)?.length).toBeLessThanOrEqual(right?.status === 200 ? 9 : 5);
    expect([200, 429]).toContain(right?.status);
    expect(vi.mocked(verifyPassword).mock.calls.length).toBeLessThanOrEqual(50);
  });

  it("cost and answer the same for an alias that nobody has", async () => {
    await s.join("Ada");
    const responsesFor = async (alias: string) => {
      const answers: unknown[] = [];
      const start = now;
      for (let n = 0; n < 8; n += 1) {
        calls = [];
        vi.mocked(verifyPassword).mockClear();
        const result = await guess(alias, alias === "Ada" ? HOME : AWAY);
        const checks = vi.mocked(verifyPassword).mock.calls.length;
        answers.push([...outcomeOf(result), calls.toSorted(), checks]);
        now += n === 6 ? SECOND : 0;
      }
      now = start;
      return answers;
    };
    const known = await responsesFor("Ada");
    expect(await responsesFor("Nobody")).toEqual(known);
    expect(await responsesFor("ＮＯＢＯＤＹ")).not.toEqual(known);
  });

  it("for an alias that nobody has expire", async () => {
    await s.join("Ada");
    const expiries = async (): Promise<unknown[]> =>
      (await scan(s))
        .filter(({ sk, failures }) => sk === "CREDENTIAL" && Array.isArray(failures) && failures.length > 0)
        .map(({ expires }) => expires);
    await guess("Ada");
    expect(await expiries()).toEqual([undefined]);
    const forgotten = () => Math.ceil((now + 2 * FEW.newAddresses.rememberedFor) / SECOND);
    for (let n = 0; n < 2; n += 1) {
      now += HOUR / 2;
      await guess("Nobody");
      expect((await expiries()).filter((expires) => expires !== undefined)).toEqual([forgotten()]);
    }
  });

  it("do not block a recovery code, whose own failures count for the address alone", async () => {
    const gm = await s.admin();
    await s.join("Ada");
    const issued = await s.call("POST /admin/recover_password/{url_id}", { as: gm, body: { alias: "Ada" } });
    const change = (alias: string, code: string, from: string) =>
      s.call("POST /change_password", {
        body: { alias, recovery_code: code, new_password: "another good one" },
        from,
      });
    await guesses(6, "Ada");
    expect((await guess("Ada")).status).toBe(429);
    expect((await change("Ada", issued.body.recovery_code, HOME)).status).toBe(200);
    expect((await login("Ada", "another good one")).status).toBe(200);
    for (const alias of ["Ada", "Nobody"]) {
      for (let n = 0; n < 6; n += 1) expect((await change(alias, "AAAA-BBBB", AWAY)).status).toBe(401);
    }
    expect((await change("Ada", "AAAA-BBBB", AWAY)).status).toBe(429);
  });

  it("include a wrong password sent with the key of the registration", async () => {
    const body = { alias: "Ada", password: PASSWORD };
    const registered = await s.call("POST /new", { body, key: "k" });
    const again = (password: string) =>
      s.call("POST /new", { body: { ...body, password }, key: "k", from: HOME });
    for (let n = 0; n < 5; n += 1) {
      // As many as may register from one address.
      now += SECOND;
      expect((await again(`not it ${n}`)).body.code).toBe("key_reused");
    }
    for (const refused of [await again(PASSWORD), await login("Ada", PASSWORD, HOME)]) {
      expect(outcomeOf(refused).slice(0, 3)).toEqual([429, "1", "too_many_attempts"]);
    }
    now += SECOND;
    expect((await again(PASSWORD)).body).toEqual(registered.body);
    const logs = (await scan(s)).filter(({ pk }) => pk.startsWith("LOGS#"));
    expect(logs.map(({ action, outcome, target }) => [action, outcome, target])).toEqual(
      Array.from({ length: 5 }, () => ["login", "bad_credentials", registered.body.player_id]),
    );
    // Concurrent requests are limited as logins are.
    vi.mocked(verifyPassword).mockClear();
    const tries = Array.from({ length: 20 }, (_, n) => (n === 19 ? PASSWORD : `not the password ${n}`));
    const results = await Promise.all(
      tries.map((password) =>
        s.call("POST /new", { body: { ...body, password, first_name: "A" }, key: "k", from: "127.0.0.1" }),
      ),
    );
    const answered = results.filter(({ status }) => status === 422);
    expect(answered.length).toBeLessThanOrEqual(10);
    expect(results.filter(({ status }) => status === 429)).toHaveLength(20 - answered.length);
  });

  it("cost one counter, and a success after them no extra write", async () => {
    await s.join("Ada");
    const counted = async (password: string, from: string) => {
      calls = [];
      await login("Ada", password, from);
      return calls.filter((name) => name !== "get").toSorted();
    };
    expect(await counted(PASSWORD, HOME)).toEqual(["transact"]);
    // The counter, the log, and the address's.
    expect(await counted("not the password", HOME)).toEqual(["put", "putOff", "transact"]);
    expect(await counted(PASSWORD, HOME)).toEqual(["transact"]);
    const [credential] = (await scan(s)).filter(({ sk, hash }) => sk === "CREDENTIAL" && hash);
    expect(credential).toMatchObject({ failures: [] });
    expect(credential).not.toHaveProperty("expires");
  });
});

describe("an owner whose account twelve addresses attack", () => {
  const BOTS = Array.from({ length: 12 }, (_, n) => bot(n));

  /** All of them fail every two seconds, each time in another order. */
  const attack = async (milliseconds: number): Promise<void> => {
    for (const end = now + milliseconds; now < end; ) {
      now += 2 * SECOND;
      BOTS.push(...BOTS.splice(0, 1));
      for (const from of BOTS) await guess("Ada", from);
    }
  };

  const withDevice = (device_token: unknown, from: string, password = PASSWORD): Promise<Result> =>
    s.call("POST /login", { body: { alias: "Ada", password, device_token }, from });

  const change = (more: Record<string, unknown>, from = AWAY): Promise<Result> =>
    s.call("POST /change_password", {
      body: { alias: "Ada", new_password: "a better password", ...more },
      from,
    });

  it("logs in from a new address, also after a mistake, and changes the password there", async () => {
    await s.join("Ada");
    await attack(10 * SECOND);
    for (const from of BOTS) expect((await login("Ada", PASSWORD, from)).status).toBe(429);
    expect((await login("Ada", PASSWORD, AWAY)).status).toBe(200);
    await attack(10 * SECOND);
    expect((await guess("Ada", "198.51.100.10")).status).toBe(401);
    await attack(2 * SECOND);
    expect((await login("Ada", PASSWORD, "198.51.100.10")).status).toBe(200);
    expect((await change({ current_password: PASSWORD }, "198.51.100.11")).status).toBe(204);
  });

  it("logs in with a device token, also from an attacking address that has used up its allowance", async () => {
    await s.join("Ada");
    const { device_token } = (await login("Ada", PASSWORD, HOME)).body;
    expect(device_token).toMatch(/^[\w.-]{43,}$/);
    await attack(10 * SECOND);
    for (let n = 0; n < 12; n += 1) await guess(`Nobody ${n}`, bot(0));
    expect((await login("Ada", PASSWORD, bot(0))).status).toBe(429);
    const again = await withDevice(device_token, bot(0));
    // The same token is returned: a browser that loses the response keeps its device.
    expect(again).toMatchObject({ status: 200, body: { device_token } });
    expect(JSON.stringify(await scan(s))).not.toContain(device_token.slice(-43));
    const current = { current_password: PASSWORD, device_token };
    expect((await change(current, bot(1))).status).toBe(204);
    expect((await withDevice(device_token, bot(2), "a better password")).status).toBe(200);
  });

  it("logs in from an address where a session was opened before, also when it has ended", async () => {
    await s.join("Ada");
    const { body } = await login("Ada", PASSWORD, HOME);
    const logout = { headers: { authorization: `Bearer ${body.token}` } };
    expect((await s.call("POST /logout", logout)).status).toBe(204);
    // It has failed itself, so it does not count as new.
    await guess("Ada", HOME);
    await attack(10 * SECOND);
    expect((await login("Ada", PASSWORD, HOME)).status).toBe(200);
    expect((await change({ current_password: PASSWORD }, HOME)).status).toBe(204);
    now += 40 * 24 * HOUR;
    await guess("Ada", HOME);
    await attack(10 * SECOND);
    expect((await login("Ada", "a better password", HOME)).status).toBe(200);
  });

  it("logs in with a recovery code, which opens a session and ends all others", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    await attack(10 * SECOND);
    const issued = await s.call("POST /admin/recover_password/{url_id}", { as: gm, body: { alias: "Ada" } });
    const redeemed = await change({ recovery_code: issued.body.recovery_code }, bot(0));
    expect(redeemed).toMatchObject({
      status: 200,
      body: { player_id: ada.id, alias: "Ada", is_admin: false, token_type: "Bearer" },
    });
    const { token, device_token } = redeemed.body;
    expect((await s.see({ ...ada, token })).alias).toBe("Ada");
    expect((await s.call("GET /player/{url_id}", { as: ada })).status).toBe(403);
    expect((await withDevice(device_token, bot(1), "a better password")).status).toBe(200);
  });

  it("gains nothing by a device token that is another's, invented or expired", async () => {
    await s.join("Ada");
    const ben = await s.join("Ben");
    const { device_token } = (await login("Ada", PASSWORD, HOME)).body;
    const { device_token: bens } = (
      await s.call("POST /login", { body: { alias: "Ben", password: ben.password } })
    ).body;
    await attack(10 * SECOND);
    for (const token of [bens, `${device_token}x`, "invented", "", null]) {
      expect((await withDevice(token, bot(0))).status).toBe(429);
      const entered = await withDevice(token, AWAY);
      expect(entered).toMatchObject({ status: 200, body: { device_token: expect.any(String) } });
      expect(entered.body.device_token).not.toBe(token);
    }
    now += 180 * 24 * HOUR;
    await attack(10 * SECOND);
    expect((await withDevice(device_token, bot(0))).status).toBe(429);
    for (const token of [5, {}, "x".repeat(201)]) {
      expect((await withDevice(token, HOME)).body.errors).toMatchObject([{ path: "device_token" }]);
    }
  });
});

describe("a device token", () => {
  const guessWith = (device_token: string, from: string, alias = "Ada"): Promise<Result> =>
    s.call("POST /login", { body: { alias, password: "not the password", device_token }, from });

  it("that was stolen limits its thief as an address does, from any address, and nobody else", async () => {
    await s.join("Ada");
    const { device_token } = (await login("Ada", PASSWORD, HOME)).body;
    for (let n = 0; n < 5; n += 1) expect((await guessWith(device_token, bot(n))).status).toBe(401);
    const waits: number[] = [];
    for (let n = 5; n < 13; n += 1) {
      const refused = await guessWith(device_token, bot(n));
      expect(refused.body.code).toBe("too_many_attempts");
      waits.push(Number(refused.headers["retry-after"]));
      now += Number(refused.headers["retry-after"]) * SECOND;
      expect((await guessWith(device_token, bot(n))).status).toBe(401);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
    // None of it is a failure of their addresses at the account.
    expect((await login("Ada", PASSWORD, AWAY)).status).toBe(200);
    now += 60 * SECOND;
    const used = { alias: "Ada", password: PASSWORD, device_token };
    expect((await s.call("POST /login", { body: used, from: HOME })).status).toBe(200);
    expect((await guessWith(device_token, bot(0))).status).toBe(401);
    // At another account it is nothing.
    await s.join("Ben");
    for (let n = 0; n < 5; n += 1) expect((await guessWith(device_token, AWAY, "Ben")).status).toBe(401);
    expect((await guess("Ben", AWAY)).status).toBe(429);
  });
});

describe("one address", () => {
  it("may fail a limited number of times at any accounts, while successes are free, and more as time goes by", async () => {
    await s.join("Ada");
    await s.join("Ben", "another good one");
    for (let n = 0; n < 12; n += 1) {
      expect((await login("Ada", PASSWORD)).status).toBe(200);
      expect((await guess(`Nobody ${n}`)).status).toBe(401);
    }
    expect(outcomeOf(await guess("Nobody 99")).slice(0, 3)).toEqual([429, "2", "too_many_attempts"]);
    // Who is at home there gets in, a stranger elsewhere.
    expect((await login("Ada", PASSWORD)).status).toBe(200);
    expect((await login("Ben", "another good one")).status).toBe(429);
    expect((await login("Ben", "another good one", AWAY)).status).toBe(200);
    now += 2 * SECOND;
    expect((await guess("Nobody 98")).status).toBe(401);
    expect((await guess("Nobody 97")).status).toBe(429);
  });

  it("is what the gateway reports, not a header, and a /64 is one", async () => {
    await s.join("Ada");
    const headers = (n: number) => ({ headers: { "x-forwarded-for": bot(n), forwarded: `for=${bot(n)}` } });
    for (let n = 0; n < 12; n += 1) {
      await login(`Nobody ${n}`, "not the password", `2001:db8:1:2::${n}`, headers(n));
    }
    expect((await login("Ada", PASSWORD, "2001:db8:1:2:ffff::1", headers(99))).status).toBe(429);
    expect((await login("Ada", PASSWORD, "2001:db8:1:3::1")).status).toBe(200);
  });

  it("may register a limited number of players at once, whatever key they use, and more as time goes by", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, n) => register(`Player ${n}`, HOME, { key: `key-${n}` })),
    );
    expect(results.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = results.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(17);
    for (const result of refused)
      expect(outcomeOf(result).slice(0, 3)).toEqual([429, "1", "too_many_attempts"]);
    expect((await register("Elsewhere", AWAY)).status).toBe(201);
    now += SECOND;
    expect((await register("Later", HOME)).status).toBe(201);
    expect((await register("Latest", HOME)).status).toBe(429);
    now += HOUR;
    for (const alias of ["One", "Two", "Tri"]) expect((await register(alias, HOME)).status).toBe(201);
    expect((await register("Fore", HOME)).status).toBe(429);
  });

  it("pays one write for a registration, and nothing for an invalid one", async () => {
    for (let n = 0; n < 9; n += 1) expect((await register("?", HOME)).status).toBe(400);
    calls = [];
    expect((await register("Ada", HOME)).status).toBe(201);
    expect(calls.filter((name) => name === "putOff")).toHaveLength(1);
    const [item] = (await scan(s)).filter(({ pk }) => pk.startsWith("SECRET#THROTTLE#"));
    expect(item).toMatchObject({ pk: `SECRET#THROTTLE#REGISTRATIONS#${HOME}`, expires: expect.any(Number) });
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
      for (let n = 0; n < 15; n += 1) expect((await guess(`Nobody ${n}`, from)).status).toBe(401);
      for (let n = 0; n < 5; n += 1) {
        expect((await register(`Player ${from.length} ${n}`, from)).status).toBe(201);
      }
      now += HOUR;
    }
  });
});

describe("when the database is unavailable", () => {
  it.each([["get"], ["putOff"]])("a login and a registration are 503, by the failure of %s", async (call) => {
    await s.join("Ada");
    broken = new Set([call]);
    for (const result of [await guess("Ada"), await register("Ben", HOME)]) {
      expect(result).toMatchObject({ status: 503, body: { code: "unavailable" } });
      expect(result.headers["retry-after"]).toBeDefined();
    }
  });
});
