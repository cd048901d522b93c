/** Accounts: what a login and a change of password write, and on which condition. */
import { describe, expect, it } from "vitest";
import { gameMasterAliasFault } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { requireOtherThanAlias } from "../../lib/auth/credentials.ts";
import { deviceOf } from "../../lib/auth/devices.ts";
import { type LoginSuccess, openSession, passwordWrites } from "../../lib/auth/login.ts";
import { addressDigest } from "../../lib/auth/loginAttempts.ts";
import { type Cost, hashPassword, isOutdated, verifyPassword } from "../../lib/auth/password.ts";
import { readToken } from "../../lib/auth/token.ts";
import { type LoginFailure, THROTTLES } from "../../lib/domain/backoff.ts";
import type { Item, Write } from "../../lib/dynamodb/database.ts";
import type { Credential, Sessions } from "../../lib/store/items.ts";
import { aPlayer, DAY, deepFreeze, HOUR, refusalOf, T0 } from "./support.ts";

const CHEAP: Cost = { memory: 64, passes: 1, parallelism: 1 };
const DEARER: Cost = { ...CHEAP, passes: 2 };
const PASSWORD = "correct horse battery";
const HOME = { address: "203.0.113.7", isLoopback: false };

const player = deepFreeze(aPlayer({ state: "human" }));
const { player_id: id } = player;
const CREDENTIAL = { pk: `SECRET#${id}`, sk: "CREDENTIAL" };
const failure = (from: string): LoginFailure => ({ from, count: 2, last: T0 - HOUR });

const aCredential = async (more: Partial<Credential> = {}): Promise<Credential> =>
  deepFreeze({ rev: 3, hash: await hashPassword(PASSWORD, CHEAP), ...more });

const putOf = (write: Write | undefined): Item => (write !== undefined && "put" in write ? write.put : {});

const ANOTHER = "a token from elsewhere";

const successOf = (
  credential: Credential,
  more: { is_admin?: boolean; sessions?: Sessions; givenDevice?: string } = {},
): LoginSuccess => {
  const { is_admin = false, sessions = null, givenDevice } = more;
  const scene = { id, player: { ...player, is_admin }, credential, sessions };
  return { scene, source: HOME, givenDevice, now: T0 };
};

const HERE = [{ from: addressDigest(HOME), used: T0 }];

describe("a login", () => {
  const open = async (credential: Credential, cost = CHEAP, more: Parameters<typeof successOf>[1] = {}) =>
    openSession(successOf(credential, more), PASSWORD, { cost, throttles: THROTTLES });

  it("is a session and a device more, on condition that the password is as it was read", async () => {
    const credential = await aCredential();
    const { writes, opened } = await open(credential);
    const { token, deviceToken, expiresAt } = opened;
    const session = {
      ...{ hash: readToken(`Bearer ${token}`)?.hash, from: addressDigest(HOME) },
      ...{ created_at: T0, last_used: T0, expires_at: T0 + 30 * DAY },
    };
    expect(expiresAt).toBe(T0 + 30 * DAY);
    const devices = [{ hash: expect.stringMatching(/^[\w-]{22}$/), used: T0 }];
    expect(writes).toEqual([
      { put: { pk: `SECRET#${id}`, sk: "SESSIONS", rev: T0 + 1, sessions: [session] }, expect: "absent" },
      {
        put: { ...CREDENTIAL, rev: 4, hash: credential.hash, devices, addresses: HERE },
        expect: { rev: 3 },
      },
    ]);
    expect(deviceToken).toMatch(/^hvzd1\.[\w-]{43}$/);
    const after = Object(putOf(writes[1]));
    expect(deviceOf(after, deviceToken, T0 + 180 * DAY - 1)).not.toBeNull();
    expect(deviceOf(after, deviceToken, T0 + 180 * DAY)).toBeNull();
    expect(deviceOf(after, ANOTHER, T0)).toBeNull();
  });

  it("with the token of a known device keeps it, and forgets its failures", async () => {
    const first = await open(await aCredential());
    const { deviceToken } = first.opened;
    const [known] = Object(putOf(first.writes[1])).devices;
    const failed = { ...known, used: T0 - DAY, failures: { count: 3, last: T0 - HOUR }, later: 1 };
    const other = { hash: "another", used: T0 - HOUR };
    const credential = await aCredential({ devices: [failed, other] });
    const { writes, opened } = await open(credential, CHEAP, { givenDevice: deviceToken });
    expect(opened.deviceToken).toBe(deviceToken);
    expect(putOf(writes[1]).devices).toEqual([other, { ...known, used: T0, later: 1 }]);
    const strange = await open(credential, CHEAP, { givenDevice: ANOTHER });
    expect(strange.opened.deviceToken).not.toBe(ANOTHER);
    expect(putOf(strange.writes[1]).devices).toHaveLength(3);
  });

  it("leaves twenty devices and ten addresses, the last used, and none that was not used for half a year", async () => {
    const since = (n: number) => T0 - n * DAY;
    const credential = await aCredential({
      devices: Array.from({ length: 20 }, (_, n) => ({ hash: `d${n}`, used: since(n) })),
      addresses: Array.from({ length: 10 }, (_, n) => ({ from: `a${n}`, used: since(n) })),
    });
    const { devices, addresses } = Object(putOf((await open(credential)).writes[1]));
    expect(devices.map(({ used }: { used: number }) => used)).toEqual(
      [...Array(19).keys()].map(since).reverse().concat(T0),
    );
    expect(addresses.map(({ from }: { from: string }) => from)).toEqual([
      ...["a8", "a7", "a6", "a5", "a4", "a3", "a2", "a1", "a0"],
      addressDigest(HOME),
    ]);
    const old = await aCredential({ devices: [{ hash: "d", used: since(180) }], addresses: [] });
    expect(putOf((await open(old)).writes[1]).devices).toHaveLength(1);
  });

  it("of an administrator ends sooner", async () => {
    const { opened } = await open(await aCredential(), CHEAP, { is_admin: true });
    expect(opened.expiresAt).toBe(T0 + 7 * DAY);
  });

  it("stands beside the sessions that there are", async () => {
    const sessions = {
      rev: 5,
      sessions: [{ hash: "h", created_at: T0, last_used: T0, expires_at: T0 + DAY }],
    };
    const { writes } = await open(await aCredential(), CHEAP, { sessions });
    expect(writes[0]).toMatchObject({
      put: { rev: 6, sessions: [{ hash: "h" }, { from: addressDigest(HOME) }] },
      expect: { rev: 5 },
    });
  });

  it("has failures from its own address forgotten, and no others", async () => {
    const both = await aCredential({ failures: [failure("elsewhere"), failure(addressDigest(HOME))] });
    expect((await open(both)).writes[1]).toMatchObject({
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
  const device = { hash: "d", used: T0 - DAY };
  const place = { from: "elsewhere", used: T0 - DAY };

  it("is written over what was read, and ends every session and any recovery code", async () => {
    const credential = await aCredential({
      failures: [failure(addressDigest(HOME)), failure("elsewhere")],
      devices: [device],
      addresses: [place],
    });
    const { writes, opened } = passwordWrites(successOf(credential), "new", THROTTLES);
    expect(opened).toBeNull();
    expect(writes).toEqual([
      {
        put: {
          ...{ ...CREDENTIAL, rev: 4, hash: "new", failures: [failure("elsewhere")] },
          ...{ devices: [device], addresses: [place, ...HERE] },
        },
        expect: { rev: 3 },
      },
      sessionsGone,
      codeGone,
    ]);
  });

  it("by a recovery code uses up that one, and leaves one session, which it opens", async () => {
    const redemption = { ...codeGone, expect: { rev: 9 } };
    const sessions = {
      rev: 5,
      sessions: [{ hash: "h", created_at: T0, last_used: T0, expires_at: T0 + DAY }],
    };
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

  it("remembers where its sessions were opened, also those that an earlier version has noted", async () => {
    const session = { hash: "h", created_at: T0, last_used: T0 - HOUR, expires_at: T0 + DAY };
    const sessions = {
      rev: 5,
      sessions: [session, { ...session, from: "elsewhere" }, { ...session, from: "a café" }],
    };
    const success = successOf(await aCredential({ addresses: [place] }), { sessions });
    const { writes } = passwordWrites(success, "new", THROTTLES);
    const cafe = { from: "a café", used: T0 - HOUR };
    expect(putOf(writes[0]).addresses).toEqual([place, cafe, ...HERE]);
  });

  it("makes of a credential one that never expires", async () => {
    const success = successOf(await aCredential({ expires: 5 }));
    const { writes } = passwordWrites(success, "new", THROTTLES);
    expect(putOf(writes[0]).expires).toBeUndefined();
  });
});

it("a password that is just the alias is refused, in its own place", () => {
  expect(requireOtherThanAlias("augusta ada", "Ada Augusta")).toBeUndefined();
  expect(refusalOf(() => requireOtherThanAlias("ADA AUGUSTA", "Ada Augusta")).faults).toEqual([
    { path: "password", message: "The password must not be the alias." },
  ]);
  const elsewhere = refusalOf(() => requireOtherThanAlias("Ada", "ada", "new_password"));
  expect(elsewhere.faults.map(({ path }) => path)).toEqual(["new_password"]);
});

it("a game master may have two letters, and nobody has one", () => {
  expect(gameMasterAliasFault("gm")).toBeNull();
  expect(gameMasterAliasFault("g")).toBe("must have 2 to 30 characters");
});
