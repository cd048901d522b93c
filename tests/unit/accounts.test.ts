/** Accounts: what a login and a change of password write, and on which condition. */
import { describe, expect, it } from "vitest";
import {
  gameMasterAliasFault,
  openSession,
  passwordWrites,
  requireOtherThanAlias,
} from "../../lib/auth/accounts.ts";
import { markOf } from "../../lib/auth/attempts.ts";
import { type Cost, hashPassword, isOutdated, verifyPassword } from "../../lib/auth/password.ts";
import { readToken } from "../../lib/auth/token.ts";
import type { Failure } from "../../lib/domain/throttle.ts";
import type { Item, Write } from "../../lib/store/database.ts";
import type { Credential } from "../../lib/store/items.ts";
import { aPlayer, DAY, deepFreeze, HOUR, refusalOf, T0 } from "./support.ts";

const CHEAP: Cost = { memory: 64, passes: 1, parallelism: 1 };
const DEARER: Cost = { ...CHEAP, passes: 2 };
const PASSWORD = "correct horse battery";
const HOME = { address: "203.0.113.7", isLoopback: false };

const player = deepFreeze(aPlayer({ state: "human" }));
const { player_id: id } = player;
const CREDENTIAL = { pk: `SECRET#${id}`, sk: "CREDENTIAL" };
const failure = (from: string): Failure => ({ from, count: 2, last: T0 - HOUR });

const aCredential = async (more: Partial<Credential> = {}): Promise<Credential> =>
  deepFreeze({ rev: 3, hash: await hashPassword(PASSWORD, CHEAP), ...more });

const putOf = (write: Write | undefined): Item => (write !== undefined && "put" in write ? write.put : {});

describe("a login", () => {
  const open = async (credential: Credential, cost = CHEAP, is_admin = false) =>
    openSession(
      { id, player: { ...player, is_admin }, credential, sessions: null },
      { password: PASSWORD, source: HOME },
      cost,
      T0,
    );

  it("is a session more, on condition that the password is as it was read", async () => {
    const { writes, token, expiresAt } = await open(await aCredential());
    const session = {
      ...{ hash: readToken(`Bearer ${token}`)?.hash, from: markOf(HOME) },
      ...{ created_at: T0, last_used: T0, expires_at: T0 + 30 * DAY },
    };
    expect(expiresAt).toBe(T0 + 30 * DAY);
    expect(writes).toEqual([
      { put: { pk: `SECRET#${id}`, sk: "SESSIONS", rev: T0 + 1, sessions: [session] }, expect: "absent" },
      { check: CREDENTIAL, expect: { rev: 3 } },
    ]);
  });

  it("of an administrator ends sooner", async () => {
    expect((await open(await aCredential(), CHEAP, true)).expiresAt).toBe(T0 + 7 * DAY);
  });

  it("stands beside the sessions that there are", async () => {
    const before = { rev: 5, sessions: [{ hash: "h", created_at: T0, last_used: T0, expires_at: T0 + DAY }] };
    const { writes } = await openSession(
      { id, player, credential: await aCredential(), sessions: before },
      { password: PASSWORD, source: HOME },
      CHEAP,
      T0,
    );
    expect(writes[0]).toMatchObject({
      put: { rev: 6, sessions: [{ hash: "h" }, { from: markOf(HOME) }] },
      expect: { rev: 5 },
    });
  });

  it("has failures from its own address forgotten, and no others", async () => {
    const home = markOf(HOME);
    const elsewhere = await aCredential({ failures: [failure("elsewhere")] });
    expect((await open(elsewhere)).writes[1]).toEqual({ check: CREDENTIAL, expect: { rev: 3 } });
    const both = await aCredential({ failures: [failure("elsewhere"), failure(home)] });
    expect((await open(both)).writes[1]).toEqual({
      put: { ...CREDENTIAL, rev: 4, hash: both.hash, failures: [failure("elsewhere")] },
      expect: { rev: 3 },
    });
  });

  it("has a hash of another cost made anew", async () => {
    const credential = await aCredential();
    const { writes } = await open(credential, DEARER);
    expect(writes[1]).toMatchObject({ put: { ...CREDENTIAL, rev: 4 }, expect: { rev: 3 } });
    const { hash } = putOf(writes[1]);
    expect(isOutdated(String(hash), DEARER)).toBe(false);
    expect(await verifyPassword(PASSWORD, String(hash))).toBe(true);
  });
});

describe("a change of password", () => {
  const sessionsGone = { remove: { pk: `SECRET#${id}`, sk: "SESSIONS" } };
  const codeGone = { remove: { pk: `SECRET#${id}`, sk: "RECOVERY" } };

  it("is written over what was read, and ends every session and any recovery code", async () => {
    const credential = await aCredential({ failures: [failure(markOf(HOME)), failure("elsewhere")] });
    expect(passwordWrites(id, credential, { hash: "new", from: HOME })).toEqual([
      {
        put: { ...CREDENTIAL, rev: 4, hash: "new", failures: [failure("elsewhere")] },
        expect: { rev: 3 },
      },
      sessionsGone,
      codeGone,
    ]);
  });

  it("by a recovery code uses up that one", async () => {
    const redemption = { ...codeGone, expect: { rev: 9 } };
    const writes = passwordWrites(id, await aCredential(), { hash: "new", from: HOME }, redemption);
    expect(writes.slice(1)).toEqual([sessionsGone, redemption]);
  });

  it("makes of a credential one that never expires", async () => {
    const [write] = passwordWrites(id, await aCredential({ expires: 5 }), { hash: "new", from: HOME });
    expect(putOf(write).expires).toBeUndefined();
  });
});

it("a password that is just the alias is refused, in its own place", () => {
  expect(requireOtherThanAlias("augusta ada", "Ada Augusta")).toBeUndefined();
  expect(refusalOf(() => requireOtherThanAlias("ADA AUGUSTA", "Ada Augusta")).faults).toEqual([
    { path: "password", message: "must not be the alias" },
  ]);
  const elsewhere = refusalOf(() => requireOtherThanAlias("Ada", "ada", "new_password"));
  expect(elsewhere.faults.map(({ path }) => path)).toEqual(["new_password"]);
});

it("a game master may have two letters, and nobody has one", () => {
  expect(gameMasterAliasFault("gm")).toBeNull();
  expect(gameMasterAliasFault("g")).toBe("must have 2 to 30 characters");
});
