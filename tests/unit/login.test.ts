/** What a login and a change of password write, and on which condition. */
import { describe, expect, it } from "vitest";
import { requireOtherThanAlias } from "../../lib/auth/credentials.ts";
import { findDevice } from "../../lib/auth/devices.ts";
import { type LoginSuccess, openSession, passwordWrites } from "../../lib/auth/login.ts";
import { addressDigest } from "../../lib/auth/loginAttempts.ts";
import { type HashCost, hashPassword, needsRehash, verifyPassword } from "../../lib/auth/password.ts";
import { readToken } from "../../lib/auth/token.ts";
import { type LoginFailure, THROTTLES } from "../../lib/domain/backoff.ts";
import type { Item, Write } from "../../lib/dynamodb/database.ts";
import type { Credential, Sessions } from "../../lib/store/accountItems.ts";
import { aHuman } from "./builders.ts";
import { deepFreeze, errorOf } from "./support.ts";
import { DAY, HOUR, T0 } from "./times.ts";

const CHEAP: HashCost = { memory: 64, passes: 1, parallelism: 1 };
const PASSWORD = "correct horse battery";
const HOME = { address: "203.0.113.7", isLoopback: false };
const HERE = { from: addressDigest(HOME), used: T0 };

const player = deepFreeze(aHuman());
const { player_id: id } = player;
const CREDENTIAL = { pk: `SECRET#${id}`, sk: "CREDENTIAL" };
const failureFrom = (from: string): LoginFailure => ({ from, count: 2, last: T0 - HOUR });
const SESSION = { hash: "h", created_at: T0, last_used: T0, expires_at: T0 + DAY };

const aCredential = async (more: Partial<Credential> = {}): Promise<Credential> =>
  deepFreeze({ rev: 3, hash: await hashPassword(PASSWORD, CHEAP), ...more });

const putOf = (write: Write | undefined): Item => (write !== undefined && "put" in write ? write.put : {});

interface More {
  is_admin?: boolean;
  sessions?: Sessions;
  givenDevice?: string;
}

const successOf = (credential: Credential, more: More = {}): LoginSuccess => {
  const { is_admin = false, sessions = null, givenDevice } = more;
  const context = { id, player: { ...player, is_admin }, credential, sessions };
  return { context, clientAddress: HOME, givenDevice, now: T0 };
};

describe("a login", () => {
  const open = async (credential: Credential, more: More = {}, cost = CHEAP) =>
    openSession(successOf(credential, more), PASSWORD, { cost, throttles: THROTTLES });

  it("adds a session and a device, on condition that the password is unchanged", async () => {
    const credential = await aCredential();
    const { writes, opened } = await open(credential);
    const { token, deviceToken, expiresAt } = opened;
    const session = {
      ...{ hash: readToken(`Bearer ${token}`)?.hash, from: HERE.from },
      ...{ created_at: T0, last_used: T0, expires_at: T0 + 30 * DAY },
    };
    expect(expiresAt).toBe(T0 + 30 * DAY);
    const devices = [{ hash: expect.stringMatching(/^[\w-]{22}$/), used: T0 }];
    const { hash } = credential;
    expect(writes).toEqual([
      { put: { pk: `SECRET#${id}`, sk: "SESSIONS", rev: T0 + 1, sessions: [session] }, expect: "absent" },
      { put: { ...CREDENTIAL, rev: 4, hash, devices, addresses: [HERE] }, expect: { rev: 3 } },
    ]);
    expect(deviceToken).toMatch(/^hvzd1\.[\w-]{43}$/);
    const after = Object(putOf(writes[1]));
    expect(findDevice(after, deviceToken, T0 + 180 * DAY - 1)).not.toBeNull();
    expect(findDevice(after, deviceToken, T0 + 180 * DAY)).toBeNull();
    expect(findDevice(after, "another token", T0)).toBeNull();
  });

  it("with a known device's token keeps the token, and clears the device's failures", async () => {
    const first = await open(await aCredential());
    const { deviceToken } = first.opened;
    const [known] = Object(putOf(first.writes[1])).devices;
    const failed = { ...known, used: T0 - DAY, failures: { count: 3, last: T0 - HOUR }, later: 1 };
    const other = { hash: "another", used: T0 - HOUR };
    const credential = await aCredential({ devices: [failed, other] });
    const { writes, opened } = await open(credential, { givenDevice: deviceToken });
    expect(opened.deviceToken).toBe(deviceToken);
    expect(putOf(writes[1]).devices).toEqual([other, { ...known, used: T0, later: 1 }]);
    const unknown = await open(credential, { givenDevice: "another token" });
    expect(unknown.opened.deviceToken).not.toBe("another token");
    expect(putOf(unknown.writes[1]).devices).toHaveLength(3);
  });

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

  it("of an administrator lasts a week", async () => {
    const { opened } = await open(await aCredential(), { is_admin: true });
    expect(opened.expiresAt).toBe(T0 + 7 * DAY);
  });

  it("keeps the other sessions", async () => {
    const { writes } = await open(await aCredential(), { sessions: { rev: 5, sessions: [SESSION] } });
    const put = { rev: 6, sessions: [{ hash: "h" }, { from: HERE.from }] };
    expect(writes[0]).toMatchObject({ put, expect: { rev: 5 } });
  });

  it("clears the failures from its own address only", async () => {
    const credential = await aCredential({ failures: [failureFrom("elsewhere"), failureFrom(HERE.from)] });
    const put = { ...CREDENTIAL, rev: 4, hash: credential.hash, failures: [failureFrom("elsewhere")] };
    expect((await open(credential)).writes[1]).toMatchObject({ put, expect: { rev: 3 } });
  });

  it("renews a hash of another cost", async () => {
    const cost = { ...CHEAP, passes: 2 };
    const { writes } = await open(await aCredential(), {}, cost);
    expect(writes[1]).toMatchObject({ put: { ...CREDENTIAL, rev: 4 }, expect: { rev: 3 } });
    const hash = String(putOf(writes[1]).hash);
    expect(needsRehash(hash, cost)).toBe(false);
    expect(await verifyPassword(PASSWORD, hash)).toBe(true);
  });
});

describe("a change of password", () => {
  const removeSessions = { remove: { pk: `SECRET#${id}`, sk: "SESSIONS" } };
  const removeCode = { remove: { pk: `SECRET#${id}`, sk: "RECOVERY" } };
  const device = { hash: "d", used: T0 - DAY };
  const place = { from: "elsewhere", used: T0 - DAY };

  it("ends every session and recovery code, on condition of what was read", async () => {
    const failures = [failureFrom(HERE.from), failureFrom("elsewhere")];
    const credential = await aCredential({ failures, devices: [device], addresses: [place], expires: 5 });
    const { writes, opened } = passwordWrites(successOf(credential), "new", THROTTLES);
    expect(opened).toBeNull();
    const put = {
      ...{ ...CREDENTIAL, rev: 4, hash: "new", failures: failures.slice(1) },
      ...{ devices: [device], addresses: [place, HERE] },
    };
    expect(writes).toEqual([{ put, expect: { rev: 3 } }, removeSessions, removeCode]);
  });

  it("by a recovery code removes that code, and opens one session in place of all", async () => {
    const redemption = { ...removeCode, expect: { rev: 9 } };
    const sessions = { rev: 5, sessions: [SESSION] };
    const success = successOf(await aCredential({ devices: [device] }), { sessions });
    const { writes, opened } = passwordWrites(success, "new", THROTTLES, redemption);
    const hash = readToken(`Bearer ${opened?.token}`)?.hash;
    expect(writes.slice(1)).toMatchObject([
      { put: { rev: 6, sessions: [{ hash }] }, expect: { rev: 5 } },
      redemption,
    ]);
    expect(Object(putOf(writes[1])).sessions).toHaveLength(1);
    expect(putOf(writes[0]).devices).toHaveLength(2);
  });

  it("remembers the addresses of the sessions that it ends", async () => {
    const session = { ...SESSION, last_used: T0 - HOUR };
    const all = [session, { ...session, from: "elsewhere" }, { ...session, from: "a café" }];
    const success = successOf(await aCredential({ addresses: [place] }), {
      sessions: { rev: 5, sessions: all },
    });
    const { writes } = passwordWrites(success, "new", THROTTLES);
    expect(putOf(writes[0]).addresses).toEqual([place, { from: "a café", used: T0 - HOUR }, HERE]);
  });
});

it("a password that is the alias is rejected, with the path of its field", () => {
  expect(requireOtherThanAlias("augusta ada", "Ada Augusta")).toBeUndefined();
  expect(errorOf(() => requireOtherThanAlias("ADA AUGUSTA", "Ada Augusta")).issues).toEqual([
    { path: "password", message: "The password must not be the alias." },
  ]);
  const elsewhere = errorOf(() => requireOtherThanAlias("Ada", "ada", "new_password"));
  expect(elsewhere.issues.map(({ path }) => path)).toEqual(["new_password"]);
});
