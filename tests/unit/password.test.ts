/** Passwords, tokens, recovery codes and logins. tests/battery/model.test.ts tests sessions after random commands. */
import { describe, expect, it } from "vitest";
import { addressDigest } from "../../lib/auth/devices.ts";
import { openSession, passwordWrites } from "../../lib/auth/login.ts";
import {
  hashPassword,
  needsRehash,
  PRODUCTION_COST,
  passwordIssue,
  verifyPassword,
} from "../../lib/auth/password.ts";
import { isValidRecoveryCode, newRecovery } from "../../lib/auth/recovery.ts";
import { addSession, isActiveSession, sessionLifetime } from "../../lib/auth/sessions.ts";
import { makeToken, readToken } from "../../lib/auth/token.ts";
import { THROTTLES } from "../../lib/domain/backoff.ts";
import type { Item, Write } from "../../lib/dynamodb/database.ts";
import type { Credential, Sessions } from "../../lib/store/accounts/accountItems.ts";
import { CHEAP } from "../support/cost.ts";
import { aHuman } from "./builders.ts";
import { deepFreeze } from "./support.ts";
import { DAY, HOUR, MINUTE, SECOND, T0 } from "./times.ts";

const PASSWORD = "correct horse battery";

const HOME = { address: "203.0.113.7", isLoopback: false };
const HERE = { from: addressDigest(HOME), used: T0 };

const player = deepFreeze(aHuman());
const { player_id: id } = player;

const aCredential = async (more: Partial<Credential> = {}): Promise<Credential> =>
  deepFreeze({ rev: 3, hash: await hashPassword(PASSWORD, CHEAP), ...more });

const putOf = (write: Write | undefined): Item => (write !== undefined && "put" in write ? write.put : {});

const successOf = (credential: Credential, sessions: Sessions | null = null) => ({
  context: { id, player, credential, sessions },
  clientAddress: HOME,
  givenDevice: undefined,
  now: T0,
});

describe("a password's hash", () => {
  it("costs 19 MiB, two passes and one lane in production, in the standard encoding", async () => {
    expect(PRODUCTION_COST).toEqual({ memory: 19_456, passes: 2, parallelism: 1 });
    const hash = await hashPassword(PASSWORD, PRODUCTION_COST);
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(await verifyPassword(PASSWORD, hash)).toBe(true);
    expect(await verifyPassword("correct horse batterz", hash)).toBe(false);
    expect(needsRehash(hash, PRODUCTION_COST)).toBe(false);
  });

  it("in any other encoding is an error, not a wrong password", async () => {
    const hash = await hashPassword(PASSWORD, CHEAP);
    for (const stored of [` ${hash}`, `${hash}$`, hash.replace("argon2id", "argon2i"), "", "secret"])
      await expect(verifyPassword(PASSWORD, stored)).rejects.toThrow("unknown form");
    expect(await verifyPassword(PASSWORD, hash.slice(0, -4))).toBe(false);
  });

  it("differs each time by its salt, and ignores Unicode composition and nothing else", async () => {
    const hash = await hashPassword("Café au lait", CHEAP);
    expect(await hashPassword("Café au lait", CHEAP)).not.toBe(hash);
    expect(await verifyPassword("Cafe\u0301 au lait", hash)).toBe(true);
    for (const wrong of ["café au lait", "Cafe au lait", "Café au lait ", "", "Café au lait\0"]) {
      expect(await verifyPassword(wrong, hash)).toBe(false);
    }
    const long = "👻".repeat(100);
    expect(await verifyPassword(`${long}b`, await hashPassword(`${long}a`, CHEAP))).toBe(false);
  });
});

it("a password has 8 to 128 characters of any kind", async () => {
  const valid = ["x1y2z3w4", "👻".repeat(8), "👻".repeat(128), "пароль на двоих", "        spaces  "];
  expect(await Promise.all(valid.map(passwordIssue))).toEqual(valid.map(() => null));
  for (const password of ["", "x1y2z3w", "👻".repeat(7), "x".repeat(129)])
    expect(await passwordIssue(password)).toBe("must have 8 to 128 characters");
});

describe("a token", () => {
  const who = "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11";
  const { token, hash } = makeToken(who);

  it("holds the player's id and 256 random bits, and is stored as a hash", () => {
    expect(token).toMatch(/^hvz1\.0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11\.[A-Za-z0-9_-]{43}$/);
    expect(hash).not.toContain(token.slice(-43));
    expect(readToken(`Bearer ${token}`)).toEqual({ playerId: who, hash });
    expect(new Set(Array.from({ length: 1_000 }, () => makeToken(who).token)).size).toBe(1_000);
  });

  it("is read after `Bearer` in any case, and from no other header", () => {
    for (const header of [`Bearer ${token}`, `bearer ${token}`, `BEARER   ${token}  `])
      expect(readToken(header)?.playerId, header).toBe(who);
    for (const header of [
      ...[undefined, "", "Bearer", token, `Basic ${token}`, `Bearer "${token}"`, `Bearer ${token} ${token}`],
      ...[`Bearer ${token},`, `Bearer ${token}\n`, `Bearer ${token}x`, `Bearer x${token}`],
      ...[`Bearer ${token.slice(0, -1)}`, `Bearer\u00a0${token}`, `Bearer ../../GAME.${"A".repeat(43)}`],
      ...[`Bearer ${token.replace(who, who.toUpperCase())}`, `Bearer ${token.replace("-4a5c-", "-1a5c-")}`],
    ])
      expect(readToken(header), header).toBeNull();
  });
});

describe("a session", () => {
  const lifetimeOfPlayer = sessionLifetime(null);
  const session = (created: number, more: object = {}) => {
    const times = { created_at: created, last_used: created, expires_at: created + 30 * DAY };
    return { hash: "h", ...times, ...more };
  };

  it("ends at the earlier of its stored end and the lifetime of its player's current role", () => {
    for (const [one, lifetime, end] of [
      [session(T0, { expires_at: T0 + 2 * DAY }), lifetimeOfPlayer, T0 + 2 * DAY],
      [session(T0, { last_used: T0 + 7 * DAY - 1 }), sessionLifetime({ is_admin: true }), T0 + 7 * DAY],
    ] as const)
      expect([end - 1, end].map((now) => isActiveSession(one, lifetime, now))).toEqual([true, false]);
  });

  it("is one of at most twenty; a new one replaces an ended one, or else the oldest, wherever it is in the list", () => {
    const hashes = (sessions: readonly { hash: string }[]) => sessions.map(({ hash }) => hash);
    const ages = Array.from({ length: 20 }, (_, at) => (at * 7) % 20);
    const twenty = deepFreeze(ages.map((age) => session(T0 + age * MINUTE, { hash: `h${age}` })));
    const added = session(T0 + HOUR, { hash: "new" });
    const remaining = Array.from({ length: 19 }, (_, at) => `h${at + 1}`);
    expect(hashes(addSession(twenty, added, lifetimeOfPlayer))).toEqual([...remaining, "new"]);
    const ended = twenty.map((one) => (one.hash === "h7" ? { ...one, last_used: T0 - 8 * DAY } : one));
    const kept = hashes(addSession(ended, added, lifetimeOfPlayer));
    expect([kept.length, kept.includes("h0"), kept.includes("h7")]).toEqual([20, true, false]);
    expect(addSession([], added, lifetimeOfPlayer)).toEqual([added]);
  });
});

describe("a login", () => {
  const open = (credential: Credential, cost = CHEAP) =>
    openSession(successOf(credential), PASSWORD, { cost, throttles: THROTTLES });

  it("keeps the twenty devices used last, each for half a year", async () => {
    const devicesAfter = async (ages: number[]) => {
      const devices = ages.map((days) => ({ hash: `d${days}`, used: T0 - days * DAY }));
      const kept = Object(putOf((await open(await aCredential({ devices }))).writes[1])).devices;
      return kept.map(({ used }: { used: number }) => (T0 - used) / DAY);
    };
    const twenty = Array.from({ length: 20 }, (_, days) => days);
    expect(await devicesAfter(twenty)).toEqual([...twenty.slice(0, 19).toReversed(), 0]);
    expect(await devicesAfter([180])).toEqual([0]);
  });

  it("computes a hash anew if the cost has changed", async () => {
    const cost = { ...CHEAP, passes: 2 };
    const { writes } = await open(await aCredential(), cost);
    const put = { pk: `SECRET#${id}`, sk: "CREDENTIAL", rev: 4 };
    expect(writes[1]).toMatchObject({ put, expect: { rev: 3 } });
    const hash = String(putOf(writes[1]).hash);
    expect(needsRehash(hash, cost)).toBe(false);
    expect(await verifyPassword(PASSWORD, hash)).toBe(true);
  });
});

it("a change of password keeps the addresses of the sessions that it ends", async () => {
  const knownAddress = { from: "elsewhere", used: T0 - DAY };
  const session = { hash: "h", created_at: T0, last_used: T0 - HOUR, expires_at: T0 + DAY };
  const all = [session, { ...session, from: "elsewhere" }, { ...session, from: "a café" }];
  const success = successOf(await aCredential({ addresses: [knownAddress] }), { rev: 5, sessions: all });
  const { writes } = passwordWrites(success, "new", THROTTLES);
  expect(putOf(writes[0]).addresses).toEqual([knownAddress, { from: "a café", used: T0 - HOUR }, HERE]);
});

it("a recovery code is stored as a hash, is valid for an hour, and is read as people type it", () => {
  const { code, expiresAt, write } = newRecovery("ada", null, T0 + 999);
  const { put, expect: condition } = write;
  const recovery = { rev: Number(put.rev), hash: String(put.hash), expires: Number(put.expires) };
  expect([put.rev, condition, String(put.hash).length]).toEqual([1, "absent", 43]);
  expect(JSON.stringify(put).replaceAll("-", "")).not.toContain(code.replaceAll("-", "").slice(0, 12));
  const next = newRecovery("ada", { ...recovery, rev: 4 }, T0);
  expect(next.write).toMatchObject({ put: { rev: 5 }, expect: { rev: 4 } });
  expect([expiresAt, recovery.expires * SECOND]).toEqual([T0 + HOUR, T0 + HOUR]); // in whole seconds
  expect(code).toMatch(/^([2-9A-HJKMNP-Z]{4}-){6}[2-9A-HJKMNP-Z]{4}$/);
  const isValid = (typed: string, age = 0) => isValidRecoveryCode(typed, recovery, T0 + age);
  expect([isValid(code, HOUR - 1), isValid(code, HOUR)]).toEqual([true, false]);
  expect(isValid(code.toLowerCase().replaceAll("-", " "))).toBe(true);
  expect([isValid(next.code), isValid(""), isValidRecoveryCode(code, null, T0)]).toEqual(
    Array(3).fill(false),
  );
});
