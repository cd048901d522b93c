/** Passwords, tokens and recovery codes, and what a login keeps. The model in tests/battery/model has the sessions of any history. */
import { describe, expect, it } from "vitest";
import { requireOtherThanAlias } from "../../lib/auth/credentials.ts";
import { addressDigest } from "../../lib/auth/devices.ts";
import { openSession, passwordWrites } from "../../lib/auth/login.ts";
import {
  hashPassword,
  isSameAsAlias,
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
import type { Credential, Sessions } from "../../lib/store/accountItems.ts";
import { aHuman } from "./builders.ts";
import { deepFreeze, errorOf } from "./support.ts";
import { DAY, HOUR, MINUTE, SECOND, T0 } from "./times.ts";

const CHEAP = { memory: 64, passes: 1, parallelism: 1 };
const PASSWORD = "correct horse battery";

const HOME = { address: "203.0.113.7", isLoopback: false };
const HERE = { from: addressDigest(HOME), used: T0 };

const player = deepFreeze(aHuman());
const { player_id: id } = player;
const CREDENTIAL = { pk: `SECRET#${id}`, sk: "CREDENTIAL" };
const SESSION = { hash: "h", created_at: T0, last_used: T0, expires_at: T0 + DAY };

const aCredential = async (more: Partial<Credential> = {}): Promise<Credential> =>
  deepFreeze({ rev: 3, hash: await hashPassword(PASSWORD, CHEAP), ...more });

const putOf = (write: Write | undefined): Item => (write !== undefined && "put" in write ? write.put : {});

const successOf = (credential: Credential, sessions: Sessions | null = null) => ({
  ...{ context: { id, player, credential, sessions }, clientAddress: HOME, givenDevice: undefined, now: T0 },
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

describe("a password", () => {
  const issueOf = async (password: string): Promise<string | null> =>
    (await passwordIssue(password)) ?? (isSameAsAlias(password, "Lovelace") ? "must not be the alias" : null);

  it("may have any letters, of which it has 8 to 128", async () => {
    for (const password of [
      "x1y2z3w4",
      "👻".repeat(8),
      "👻".repeat(128),
      "пароль на двоих",
      "        spaces  ",
    ])
      expect(await issueOf(password), password).toBeNull();
  });

  it.each(["", "x1y2z3w", "👻".repeat(7), "x".repeat(129), "lOVELACE", "ｌovelace", "PASSWORD", "12345678"])(
    "must not be %j; the message does not contain it",
    async (password) => {
      expect(await issueOf(password)).toMatch(/\w+ \w+/);
      expect(await issueOf(password)).not.toContain(`"${password}"`);
    },
  );
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

  it("is read from a header in any case, and from no other text", () => {
    for (const header of [`Bearer ${token}`, `bearer ${token}`, `BEARER ${token}`, `Bearer   ${token}  `])
      expect(readToken(header)?.playerId, header).toBe(id);
    for (const header of [
      ...[undefined, "", "Bearer", "Bearer ", token, `Basic ${token}`, `Bearer ${token},`],
      ...[`Bearer ${token}, Bearer ${token}`, `Bearer ${token} ${token}`, `Bearer "${token}"`],
      ...[`Bearer ${token}x`, `Bearer x${token}`, `Bearer ${token.slice(0, -1)}`, `Bearer ${token}=`],
      ...[`Bearer ${token.toUpperCase()}`, `Bearer ${token.replace("hvz1", "hvz2")}`],
      ...[`Bearer ${token.replace(id, id.toUpperCase())}`, `Bearer ${token.replace("-4a5c-", "-1a5c-")}`],
      ...[`Bearer ${token.replace(".", "")}`, `Bearer hvz1..${"A".repeat(43)}`],
      ...[`Bearer ../../GAME.${"A".repeat(43)}`, `Bearer ${token}\n`, `Bearer\u00a0${token}`],
    ]) {
      expect(readToken(header), header).toBeNull();
    }
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

describe("a login", () => {
  const open = (credential: Credential, cost = CHEAP) =>
    openSession(successOf(credential), PASSWORD, { cost, throttles: THROTTLES });

  it("keeps the twenty devices and ten addresses used last, for half a year", async () => {
    const daysAgo = (n: number) => T0 - n * DAY;
    const credential = await aCredential({
      devices: Array.from({ length: 20 }, (_, n) => ({ hash: `d${n}`, used: daysAgo(n) })),
      addresses: Array.from({ length: 10 }, (_, n) => ({ from: `a${n}`, used: daysAgo(n) })),
    });
    const { devices, addresses } = Object(putOf((await open(credential)).writes[1]));
    const kept = Array.from({ length: 19 }, (_, n) => daysAgo(18 - n));
    expect(devices.map(({ used }: { used: number }) => used)).toEqual([...kept, T0]);
    const froms = Array.from({ length: 9 }, (_, n) => `a${8 - n}`);
    expect(addresses.map(({ from }: { from: string }) => from)).toEqual([...froms, HERE.from]);
    const old = await aCredential({ devices: [{ hash: "d", used: daysAgo(180) }], addresses: [] });
    expect(putOf((await open(old)).writes[1]).devices).toHaveLength(1);
  });

  it("renews a hash of another cost", async () => {
    const cost = { ...CHEAP, passes: 2 };
    const { writes } = await open(await aCredential(), cost);
    expect(writes[1]).toMatchObject({ put: { ...CREDENTIAL, rev: 4 }, expect: { rev: 3 } });
    const hash = String(putOf(writes[1]).hash);
    expect(needsRehash(hash, cost)).toBe(false);
    expect(await verifyPassword(PASSWORD, hash)).toBe(true);
  });
});

it("a change of password remembers the addresses of the sessions that it ends", async () => {
  const place = { from: "elsewhere", used: T0 - DAY };
  const session = { ...SESSION, last_used: T0 - HOUR };
  const all = [session, { ...session, from: "elsewhere" }, { ...session, from: "a café" }];
  const success = successOf(await aCredential({ addresses: [place] }), { rev: 5, sessions: all });
  const { writes } = passwordWrites(success, "new", THROTTLES);
  expect(putOf(writes[0]).addresses).toEqual([place, { from: "a café", used: T0 - HOUR }, HERE]);
});

it("a password that is the alias is rejected, with the path of its field", () => {
  expect(requireOtherThanAlias("augusta ada", "Ada Augusta")).toBeUndefined();
  expect(errorOf(() => requireOtherThanAlias("ADA AUGUSTA", "Ada Augusta")).issues).toEqual([
    { path: "password", message: "The password must not be the alias." },
  ]);
  const elsewhere = errorOf(() => requireOtherThanAlias("Ada", "ada", "new_password"));
  expect(elsewhere.issues.map(({ path }) => path)).toEqual(["new_password"]);
});

describe("a recovery code", () => {
  const issued = newRecovery("ada", null, T0);
  const { put, expect: condition } = issued.write;
  const recovery = { rev: Number(put.rev), hash: String(put.hash), expires: Number(put.expires) };

  it("has seven groups of four unmistakable letters, which differ each time", () => {
    expect(issued.code).toMatch(/^([2-9A-HJKMNP-Z]{4}-){6}[2-9A-HJKMNP-Z]{4}$/);
    expect(newRecovery("ada", null, T0).code).not.toBe(issued.code);
  });

  it("is stored as a hash, on condition of what was read", () => {
    expect([put.rev, condition, String(put.hash).length]).toEqual([1, "absent", 43]);
    expect(JSON.stringify(put)).not.toContain(issued.code.slice(0, 4));
    const next = newRecovery("ada", { ...recovery, rev: 4 }, T0).write;
    expect(next).toMatchObject({ put: { rev: 5 }, expect: { rev: 4 } });
  });

  it("is valid for an hour, in whole seconds", () => {
    expect(issued.expiresAt).toBe(T0 + HOUR);
    expect(recovery.expires * SECOND).toBe(issued.expiresAt);
    expect(newRecovery("ada", null, T0 + 999).expiresAt).toBe(T0 + HOUR);
    const valid = [0, HOUR - 1, HOUR].map((age) => isValidRecoveryCode(issued.code, recovery, T0 + age));
    expect(valid).toEqual([true, true, false]);
  });

  it("is read as people type it, and no other code is right", () => {
    expect(isValidRecoveryCode(issued.code.toLowerCase().replaceAll("-", " "), recovery, T0)).toBe(true);
    for (const other of [newRecovery("ada", null, T0).code, ""]) {
      expect(isValidRecoveryCode(other, recovery, T0)).toBe(false);
    }
    expect(isValidRecoveryCode(issued.code, null, T0)).toBe(false);
  });
});
