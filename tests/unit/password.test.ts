/** Secrets: passwords, session tokens, and how long a session lasts. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  hashPassword,
  isAlias,
  isOutdated,
  PRODUCTION_COST,
  passwordDigest,
  passwordFault,
  verifyPassword,
} from "../../lib/auth/password.ts";
import { isLive, lifetimeOf, sessionsWrite, withSession } from "../../lib/auth/sessions.ts";
import { makeToken, readToken } from "../../lib/auth/token.ts";
import { DAY, deepFreeze, HOUR, MINUTE, T0 } from "./support.ts";

const CHEAP = { memory: 64, passes: 1, parallelism: 1 };

/** What is wrong with a password for this alias. */
const faultOf = async (password: string, alias: string): Promise<string | null> =>
  (await passwordFault(password)) ?? (isAlias(password, alias) ? "must not be the alias" : null);

describe("a password", () => {
  it("costs 19 MiB, two passes and one lane in production, in the standard encoded form", async () => {
    expect(PRODUCTION_COST).toEqual({ memory: 19_456, passes: 2, parallelism: 1 });
    const hash = await hashPassword("correct horse battery", PRODUCTION_COST);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword("correct horse battery", hash)).toBe(true);
    expect(await verifyPassword("correct horse batterz", hash)).toBe(false);
    expect(isOutdated(hash, PRODUCTION_COST)).toBe(false);
  });

  it("that another program has hashed in the standard form is verified", async () => {
    // RFC 9106 has no encoded example; this one was made with the reference implementation's own parameters.
    const again = await hashPassword("pässwörd", { memory: 256, passes: 3, parallelism: 2 });
    expect(again).toContain("$m=256,t=3,p=2$");
    expect(await verifyPassword("pässwörd", again)).toBe(true);
    expect(isOutdated(again, CHEAP)).toBe(true);
  });

  it("is verified at a cost of two digits, and is wrong where what is stored is shorter", async () => {
    const hash = await hashPassword("pässwörd", { memory: 128, passes: 10, parallelism: 10 });
    expect(hash).toContain("$m=128,t=10,p=10$");
    expect(await verifyPassword("pässwörd", hash)).toBe(true);
    expect(await verifyPassword("pässwörd", hash.slice(0, -4))).toBe(false);
  });

  it("is held against nothing but a hash in the standard form", async () => {
    const hash = await hashPassword("correct horse", CHEAP);
    for (const other of [` ${hash}`, `${hash} `, `${hash}$`, hash.replace("argon2id", "argon2i"), ""]) {
      await expect(verifyPassword("correct horse", other)).rejects.toThrow("unknown form");
    }
  });

  it("is hashed differently each time, and never found in its hash", async () => {
    const [one, other] = await Promise.all([
      hashPassword("correct horse", CHEAP),
      hashPassword("correct horse", CHEAP),
    ]);
    expect(one).not.toBe(other);
    expect(one).not.toContain("correct");
  });

  it("is the same however the keyboard composes it, but for nothing else", async () => {
    const hash = await hashPassword("Café au lait", CHEAP);
    expect(await verifyPassword("Cafe\u0301 au lait", hash)).toBe(true);
    for (const wrong of [
      "café au lait",
      "Cafe au lait",
      "Café au lait ",
      "Ｃafé au lait",
      "",
      "Café au lait\0",
    ]) {
      expect(await verifyPassword(wrong, hash)).toBe(false);
    }
  });

  it("of four hundred bytes counts to the last letter", async () => {
    const long = "👻".repeat(100);
    const hash = await hashPassword(`${long}a`, CHEAP);
    expect(await verifyPassword(`${long}b`, hash)).toBe(false);
  });

  it.each([
    "",
    "secret",
    "$2b$10$abcdefghijklmnopqrstuv",
    "$argon2i$v=19$m=64,t=1,p=1$AAAA$AAAA",
    "$argon2id$v=16$m=64,t=1,p=1$AAAA$AAAA",
  ])("stored as %j is a fault, not a login", async (stored) => {
    await expect(verifyPassword("whatever it is", stored)).rejects.toThrow(/unknown form/);
  });

  it("is digested the same for the same salt, and differently for another", async () => {
    expect(await passwordDigest("a", "s", CHEAP)).toBe(await passwordDigest("a", "s", CHEAP));
    expect(await passwordDigest("a", "s", CHEAP)).not.toBe(await passwordDigest("a", "t", CHEAP));
    expect(await passwordDigest("a", "s", CHEAP)).not.toBe(await passwordDigest("b", "s", CHEAP));
  });

  it.each([
    ["Tr0ub4dor&3", "Ada"],
    ["x1y2z3w4", "Ada"],
    ["👻".repeat(8), "Ada"],
    ["👻".repeat(128), "Ada"],
    ["пароль на двоих", "Ada"],
    ["        spaces  ", "Ada"],
  ])("may be %j", async (password, alias) => {
    expect(await faultOf(password, alias)).toBeNull();
  });

  it.each([
    ["", "Ada", "nothing"],
    ["x1y2z3w", "Ada", "seven characters"],
    ["👻".repeat(7), "Ada", "seven characters of four bytes"],
    ["x".repeat(129), "Ada", "129 characters"],
    ["Lovelace", "Lovelace", "the alias"],
    ["lOVELACE", "Lovelace", "the alias in other letters"],
    ["ｌovelace", "Lovelace", "the alias in full width"],
    ["password", "Ada", "common"],
    ["PASSWORD", "Ada", "common in capitals"],
    ["12345678", "Ada", "common"],
    ["iloveyou", "Ada", "common"],
    ["qwertyuiop", "Ada", "common"],
  ])("may not be %j (alias %s): %s", async (password, alias) => {
    expect(await faultOf(password, alias)).toMatch(/\w+ \w+/);
  });

  it("is not named in what is wrong with it", async () => {
    for (const password of ["password", "Lovelace", "short"]) {
      expect(await faultOf(password, "Lovelace")).not.toContain(`"${password}"`);
    }
  });
});

describe("a token", () => {
  const id = "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11";

  it("carries the player's id and 256 random bits, and is known by its hash alone", () => {
    const made = makeToken(id);
    expect(made.token).toMatch(/^hvz1\.0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11\.[A-Za-z0-9_-]{43}$/);
    expect(made.hash).not.toContain(made.token.slice(-43));
    expect(readToken(`Bearer ${made.token}`)).toEqual({ playerId: id, hash: made.hash });
    const many = new Set(Array.from({ length: 1_000 }, () => makeToken(id).token));
    expect(many.size).toBe(1_000);
  });

  const { token } = makeToken(id);

  it.each([`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}  `])(
    "is read from %s",
    (header) => {
      expect(readToken(header)?.playerId).toBe(id);
    },
  );

  it.each([
    undefined,
    "",
    "Bearer",
    "Bearer ",
    token,
    `Basic ${token}`,
    `Token ${token}`,
    `Bearer ${token},`,
    `Bearer ${token},Bearer ${token}`,
    `Bearer ${token}, Bearer ${token}`,
    `Bearer ${token} ${token}`,
    `Bearer "${token}"`,
    `Bearer ${token}x`,
    `Bearer x${token}`,
    `Bearer ${token.slice(0, -1)}`,
    `Bearer ${token}=`,
    `Bearer ${token.toUpperCase()}`,
    `Bearer ${token.replace("hvz1", "hvz2")}`,
    `Bearer ${token.replace(id, id.toUpperCase())}`,
    `Bearer ${token.replace("-4a5c-", "-1a5c-")}`,
    `Bearer ${token.replace(".", "")}`,
    `Bearer hvz1..${"A".repeat(43)}`,
    `Bearer ../../GAME.${"A".repeat(43)}`,
    `Bearer ${token}\n`,
    `Bearer\u00a0${token}`,
    `Bearer ${"A".repeat(100_000)}`,
  ])("is not read from %s", (header) => {
    expect(readToken(header)).toBeNull();
  });
});

describe("a session", () => {
  const session = (created: number, used = created, hash = "h") => {
    const lasting = created + 30 * DAY;
    return { hash, created_at: created, last_used: used, expires_at: lasting };
  };

  it.each([
    ["a player's", false, 7 * DAY, 30 * DAY],
    ["an administrator's", true, 12 * HOUR, 7 * DAY],
  ])("%s ends when idle, and in all", (_whose, is_admin, idle, inAll) => {
    const lifetime = lifetimeOf({ is_admin });
    const fresh = { ...session(T0), expires_at: T0 + inAll };
    expect(isLive(fresh, lifetime, T0)).toBe(true);
    expect(isLive(fresh, lifetime, T0 + idle - 1)).toBe(true);
    expect(isLive(fresh, lifetime, T0 + idle)).toBe(false);
    const used = (at: number) => ({ ...fresh, last_used: at });
    expect(isLive(used(T0 + inAll - 1), lifetime, T0 + inAll - 1)).toBe(true);
    expect(isLive(used(T0 + inAll - 1), lifetime, T0 + inAll)).toBe(false);
    // Use is written down often enough that nobody who plays on is put out.
    expect(lifetime.notedEvery).toBeLessThan(idle);
  });

  it("of a player who was made an administrator since is short from then on", () => {
    const long = { ...session(T0), last_used: T0 + 8 * DAY };
    expect(isLive(long, lifetimeOf({ is_admin: false }), T0 + 8 * DAY)).toBe(true);
    expect(isLive(long, lifetimeOf({ is_admin: true }), T0 + 8 * DAY)).toBe(false);
  });

  it("is one of twenty at most; the oldest gives way, and those that have ended first", () => {
    const lifetime = lifetimeOf({ is_admin: false });
    const twenty = deepFreeze(
      Array.from({ length: 20 }, (_, at) => session(T0 + at * MINUTE, T0 + at * MINUTE, `h${at}`)),
    );
    const added = session(T0 + HOUR, T0 + HOUR, "new");
    const after = withSession(twenty, added, lifetime);
    expect(after).toHaveLength(20);
    expect(after.map(({ hash }) => hash)).toEqual([...twenty.slice(1).map(({ hash }) => hash), "new"]);
    const ended = twenty.map((one, at) => (at === 7 ? { ...one, last_used: T0 - 8 * DAY } : one));
    const spared = withSession(ended, added, lifetime).map(({ hash }) => hash);
    expect(spared).toContain("h0");
    expect(spared).not.toContain("h7");
    expect(withSession([], added, lifetime)).toEqual([added]);
  });

  it("ends when it was said to end, though others last longer by now", () => {
    const lifetime = lifetimeOf({ is_admin: false });
    const short = { ...session(T0), expires_at: T0 + 2 * DAY };
    expect(isLive(short, lifetime, T0 + 2 * DAY - 1)).toBe(true);
    expect(isLive(short, lifetime, T0 + 2 * DAY)).toBe(false);
  });

  it("ends after its time in all, though it was said to end later", () => {
    const lifetime = lifetimeOf({ is_admin: true });
    const long = { ...session(T0, T0 + 7 * DAY - 1), expires_at: T0 + 30 * DAY };
    expect(isLive(long, lifetime, T0 + 7 * DAY - 1)).toBe(true);
    expect(isLive(long, lifetime, T0 + 7 * DAY)).toBe(false);
  });

  it("gives way by its age, wherever it stands among the others", () => {
    const lifetime = lifetimeOf({ is_admin: false });
    const ages = Array.from({ length: 20 }, (_, at) => (at * 7) % 20);
    const twenty = ages.map((age) => session(T0 + age * MINUTE, T0 + age * MINUTE, `h${age}`));
    const after = withSession(deepFreeze(twenty), session(T0 + HOUR, T0 + HOUR, "new"), lifetime);
    expect(after.map(({ hash }) => hash)).toEqual([
      ...Array.from({ length: 19 }, (_, at) => `h${at + 1}`),
      "new",
    ]);
  });

  it("is written only over what was read", () => {
    expect(sessionsWrite("p", null, [], T0).expect).toBe("absent");
    expect(sessionsWrite("p", { rev: 4, sessions: [] }, [], T0)).toMatchObject({
      expect: { rev: 4 },
      put: { rev: 5 },
    });
  });
});

describe("the list of common passwords", () => {
  it("holds none in clear", () => {
    const source = readFileSync(new URL("../../lib/auth/commonPasswords.ts", import.meta.url), "utf8");
    for (const common of ["iloveyou", "12345678", "qwertyuiop"]) expect(source).not.toContain(common);
  });
});
