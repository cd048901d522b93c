/** What a login and a change of password keep. Their sessions are in tests/battery/model. */
import { describe, expect, it } from "vitest";
import { requireOtherThanAlias } from "../../lib/auth/credentials.ts";
import { addressDigest } from "../../lib/auth/devices.ts";
import { type LoginSuccess, openSession, passwordWrites } from "../../lib/auth/login.ts";
import { type HashCost, hashPassword, needsRehash, verifyPassword } from "../../lib/auth/password.ts";
import { THROTTLES } from "../../lib/domain/backoff.ts";
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
    const { writes } = await open(await aCredential(), {}, cost);
    expect(writes[1]).toMatchObject({ put: { ...CREDENTIAL, rev: 4 }, expect: { rev: 3 } });
    const hash = String(putOf(writes[1]).hash);
    expect(needsRehash(hash, cost)).toBe(false);
    expect(await verifyPassword(PASSWORD, hash)).toBe(true);
  });
});

describe("a change of password", () => {
  const place = { from: "elsewhere", used: T0 - DAY };

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
