/** Passwords, session tokens, and how long a session lasts. */
import { describe, expect, it } from "vitest";
import {
  hashPassword,
  isSameAsAlias,
  needsRehash,
  PRODUCTION_COST,
  passwordDigest,
  passwordIssue,
  verifyPassword,
} from "../../lib/auth/password.ts";
import { addSession, isActiveSession, sessionLifetime } from "../../lib/auth/sessions.ts";
import { makeToken, readToken } from "../../lib/auth/token.ts";
import { deepFreeze } from "./support.ts";
import { DAY, HOUR, MINUTE, T0 } from "./times.ts";

const CHEAP = { memory: 64, passes: 1, parallelism: 1 };
const PASSWORD = "correct horse battery";

describe("a password's hash", () => {
  it("costs 19 MiB, two passes and one lane in production, in the standard encoding", async () => {
    expect(PRODUCTION_COST).toEqual({ memory: 19_456, passes: 2, parallelism: 1 });
    const hash = await hashPassword(PASSWORD, PRODUCTION_COST);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword(PASSWORD, hash)).toBe(true);
    expect(await verifyPassword("correct horse batterz", hash)).toBe(false);
    expect(needsRehash(hash, PRODUCTION_COST)).toBe(false);
  });

  it("of another cost is verified", async () => {
    const hash = await hashPassword("pässwörd", { memory: 128, passes: 3, parallelism: 2 });
    expect(hash).toContain("$m=128,t=3,p=2$");
    expect(needsRehash(hash, CHEAP)).toBe(true);
    expect(await verifyPassword("pässwörd", hash)).toBe(true);
    expect(await verifyPassword("pässwörd", hash.slice(0, -4))).toBe(false);
  });

  it("in any other encoding is an error, not a wrong password", async () => {
    const hash = await hashPassword(PASSWORD, CHEAP);
    const variants = [` ${hash}`, `${hash} `, `${hash}$`, hash.replace("argon2id", "argon2i"), "", "secret"];
    const others = ["$2b$10$abcdefghijklmnopqrstuv", "$argon2id$v=16$m=64,t=1,p=1$AAAA$AAAA"];
    for (const stored of [...variants, ...others]) {
      await expect(verifyPassword(PASSWORD, stored)).rejects.toThrow("unknown form");
    }
  });

  it("differs each time by its salt", async () => {
    const [one, other] = await Promise.all([hashPassword(PASSWORD, CHEAP), hashPassword(PASSWORD, CHEAP)]);
    expect(one).not.toBe(other);
    expect(await passwordDigest("a", "s", CHEAP)).toBe(await passwordDigest("a", "s", CHEAP));
  });

  it("ignores Unicode composition, and nothing else", async () => {
    const hash = await hashPassword("Café au lait", CHEAP);
    expect(await verifyPassword("Cafe\u0301 au lait", hash)).toBe(true);
    for (const wrong of ["café au lait", "Cafe au lait", "Café au lait ", "", "Café au lait\0"]) {
      expect(await verifyPassword(wrong, hash)).toBe(false);
    }
    const long = "👻".repeat(100);
    expect(await verifyPassword(`${long}b`, await hashPassword(`${long}a`, CHEAP))).toBe(false);
  });
});

describe("a password", () => {
  const issueOf = async (password: string): Promise<string | null> =>
    (await passwordIssue(password)) ?? (isSameAsAlias(password, "Lovelace") ? "must not be the alias" : null);

  it.each([
    ...["Tr0ub4dor&3", "x1y2z3w4", "👻".repeat(8), "👻".repeat(128), "пароль на двоих"],
    "        spaces  ",
  ])("may be %j", async (password) => {
    expect(await issueOf(password)).toBeNull();
  });

  it.each([
    ["", "empty"],
    ["x1y2z3w", "too short"],
    ["👻".repeat(7), "too short"],
    ["x".repeat(129), "too long"],
    ["Lovelace", "the alias"],
    ["lOVELACE", "the alias in another case"],
    ["ｌovelace", "the alias in full width"],
    ["password", "common"],
    ["PASSWORD", "common"],
    ["12345678", "common"],
  ])("must not be %j: %s; the message does not contain it", async (password) => {
    expect(await issueOf(password)).toMatch(/\w+ \w+/);
    expect(await issueOf(password)).not.toContain(`"${password}"`);
  });
});

describe("a token", () => {
  const id = "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11";
  const { token, hash } = makeToken(id);

  it("holds the player's id and 256 random bits, and is stored as a hash", () => {
    expect(token).toMatch(/^hvz1\.0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11\.[A-Za-z0-9_-]{43}$/);
    expect(hash).not.toContain(token.slice(-43));
    expect(readToken(`Bearer ${token}`)).toEqual({ playerId: id, hash });
    expect(new Set(Array.from({ length: 1_000 }, () => makeToken(id).token)).size).toBe(1_000);
  });

  it.each([`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}  `])(
    "is read from %s",
    (header) => expect(readToken(header)?.playerId).toBe(id),
  );

  it.each([
    ...[undefined, "", "Bearer", "Bearer ", token, `Basic ${token}`, `Bearer ${token},`],
    ...[`Bearer ${token}, Bearer ${token}`, `Bearer ${token} ${token}`, `Bearer "${token}"`],
    ...[`Bearer ${token}x`, `Bearer x${token}`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token}=`],
    ...[`Bearer ${token.toUpperCase()}`, `Bearer ${token.replace("hvz1", "hvz2")}`],
    ...[`Bearer ${token.replace(id, id.toUpperCase())}`, `Bearer ${token.replace("-4a5c-", "-1a5c-")}`],
    ...[`Bearer ${token.replace(".", "")}`, `Bearer hvz1..${"A".repeat(43)}`],
    ...[`Bearer ../../GAME.${"A".repeat(43)}`, `Bearer ${token}\n`, `Bearer\u00a0${token}`],
  ])("is not read from %s", (header) => {
    expect(readToken(header)).toBeNull();
  });
});

describe("a session", () => {
  const [player, administrator] = [false, true].map((is_admin) => sessionLifetime({ is_admin }));
  if (player === undefined || administrator === undefined) throw new Error("no lifetimes");
  const session = (created: number, more: object = {}) => {
    const times = { created_at: created, last_used: created, expires_at: created + 30 * DAY };
    return { hash: "h", ...times, ...more };
  };

  it("ends at the earlier of its stored end and its present lifetime", () => {
    const short = session(T0, { expires_at: T0 + 2 * DAY });
    expect([-1, 0].map((more) => isActiveSession(short, player, T0 + 2 * DAY + more))).toEqual([true, false]);
    // Its player has become an administrator.
    const long = session(T0, { last_used: T0 + 7 * DAY - 1 });
    const active = [-1, 0].map((more) => isActiveSession(long, administrator, T0 + 7 * DAY + more));
    expect(active).toEqual([true, false]);
    expect(isActiveSession(long, player, T0 + 7 * DAY)).toBe(true);
  });

  it("is one of twenty; a new one replaces an ended one, or else the oldest, wherever it is in the list", () => {
    const hashes = (sessions: readonly { hash: string }[]) => sessions.map(({ hash }) => hash);
    const ages = Array.from({ length: 20 }, (_, at) => (at * 7) % 20);
    const twenty = deepFreeze(ages.map((age) => session(T0 + age * MINUTE, { hash: `h${age}` })));
    const added = session(T0 + HOUR, { hash: "new" });
    const left = Array.from({ length: 19 }, (_, at) => `h${at + 1}`);
    expect(hashes(addSession(twenty, added, player))).toEqual([...left, "new"]);
    const ended = twenty.map((one) => (one.hash === "h7" ? { ...one, last_used: T0 - 8 * DAY } : one));
    const kept = hashes(addSession(ended, added, player));
    expect([kept.length, kept.includes("h0"), kept.includes("h7")]).toEqual([20, true, false]);
    expect(addSession([], added, player)).toEqual([added]);
  });
});
