/** Attempts at accounts by the calls that they make, and by what lies in the table afterwards. */
import { beforeEach, describe, expect, it } from "vitest";
import { addressDigest } from "../../../lib/auth/loginAttempts.ts";
import { THROTTLES } from "../../../lib/domain/backoff.ts";
import { SECOND } from "../../../lib/domain/time.ts";
import type { Database } from "../../../lib/dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../../../lib/dynamodb/errors.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import { keys } from "../../../lib/store/keys.ts";
import { type RequestOptions, type Result, type Someone, testEnvironment } from "../../support/service.ts";
import { scan } from "../../support/table.ts";

const HOME = "203.0.113.7";
const PASSWORD = "correct horse battery";
const EVERY = 2 * SECOND;
const FEW = {
  ...THROTTLES,
  failures: { atOnce: 12, every: EVERY },
  registrations: { atOnce: 3, every: SECOND },
};

let now = 0;
let reads: string[] = [];
/** Which items a cheap read of an account does not see yet. */
let lagging: Set<string> = new Set();
/** What happens before an account is read, once. */
let meanwhile: (() => Promise<void>) | null = null;
/** What happens between what is read and what is written, once. */
let beforeWriting: (() => Promise<void>) | null = null;
/** How many transactions find that something has moved, or the database away. */
let moved = 0;
let away = false;

const ofAccount = (items: readonly Key[]): boolean => items.some(({ sk }) => sk === "CREDENTIAL");

const watched = (usual: Database): Database => ({
  ...usual,
  async get(key, options) {
    if (key.pk.includes("THROTTLE#")) reads.push("allowance");
    if (key.pk.startsWith("ALIAS#")) reads.push("alias");
    return usual.get(key, options);
  },
  async getMany(items, options) {
    if (!ofAccount(items)) return usual.getMany(items, options);
    const isCheap = options?.consistent === false;
    reads.push(isCheap ? "account as it was" : "account");
    const first = meanwhile;
    meanwhile = null;
    await first?.();
    const found = await usual.getMany(items, options);
    return isCheap ? found.filter(({ sk }) => !lagging.has(sk)) : found;
  },
  async transact(writes, token) {
    const first = beforeWriting;
    beforeWriting = null;
    await first?.();
    if (away) throw new DatabaseBusy("away");
    moved -= 1;
    if (moved >= 0) throw new ConditionFailed("moved");
    await usual.transact(writes, token);
  },
});

const s = testEnvironment({
  services: () => ({ clock: () => now, throttles: FEW }),
  database: watched,
  // Enough to be told that the database is busy, and not to wait for it.
  timeLeft: () => (away ? 0 : 20_000),
});

beforeEach(() => {
  now = Date.now();
  lagging = new Set();
  meanwhile = null;
  beforeWriting = null;
  moved = 0;
  away = false;
  reads = [];
});

const login = (alias: string, password: string, more: RequestOptions = {}): Promise<Result> =>
  s.call("POST /login", { body: { alias, password }, ...more });
const guess = (alias: string, more: RequestOptions = {}): Promise<Result> =>
  login(alias, "not the password", more);
const change = (body: Record<string, unknown>): Promise<Result> => s.call("POST /change_password", { body });

const join = async (alias: string): Promise<Someone> => {
  const someone = await s.join(alias);
  reads = [];
  return someone;
};

const said = ({ status, body }: Result) => [status, body.code];
const credentialOf = async ({ id }: Someone) => (await s.store.account(id)).credential;
/** When the address may fail as often as ever again. */
const fullAt = async (what = "FAILURES", address = HOME): Promise<unknown> =>
  (await s.store.db.get(keys.throttle(what, address)))?.full_at;

describe("a login reads", () => {
  it("whose the alias is, and their account as it was a moment ago", async () => {
    await join("Ada");
    expect((await login("Ada", PASSWORD)).status).toBe(200);
    expect(reads).toEqual(["alias", "account as it was"]);
  });

  it("what the address has left beside it, and not again when it is judged anew", async () => {
    await join("Ada");
    moved = 1;
    expect((await login("Ada", PASSWORD, { from: HOME })).status).toBe(200);
    expect(reads.toSorted()).toEqual(["account", "account as it was", "alias", "alias", "allowance"]);
  });

  it.each(["PROFILE", "CREDENTIAL"])("again what a copy of the table does not have yet: %s", async (sk) => {
    await join("Ada");
    lagging = new Set([sk]);
    expect((await login("Ada", PASSWORD)).status).toBe(200);
    expect(reads).toEqual(["alias", "account as it was", "account"]);
  });

  it("for a change of password by a code the account as it is", async () => {
    const ada = await join("Ada");
    const before = await credentialOf(ada);
    reads = [];
    const refused = await change({
      alias: "Ada",
      recovery_code: "ABCD-EFGH-JKLM-NPQR-STUV-WXYZ-2345",
      new_password: "another horse battery",
    });
    expect(said(refused)).toEqual([401, "bad_credentials"]);
    expect(reads).toEqual(["alias", "account"]);
    // Nobody guesses a code: it is not counted, and its owner never waits for it.
    expect(await credentialOf(ada)).toEqual(before);
    const nobody = await change({
      alias: "Nobody",
      recovery_code: "ABCD-EFGH",
      new_password: "another horse",
    });
    expect(said(nobody)).toEqual([401, "bad_credentials"]);
  });
});

describe("an alias that changes hands between two reads", () => {
  it("is nobody's who has another by now, and no failure is counted on them", async () => {
    const ada = await join("Ada");
    const edit = { as: ada, body: { alias: "Beatrice" } };
    meanwhile = async () => {
      expect((await s.call("POST /edit_player/{url_id}", edit)).status).toBe(200);
    };
    expect(said(await login("Ada", PASSWORD))).toEqual([401, "bad_credentials"]);
    expect((await credentialOf(ada))?.failures ?? []).toEqual([]);
    expect((await login("Beatrice", PASSWORD)).status).toBe(200);
  });

  it("leaves nothing of one who is gone", async () => {
    const ada = await join("Ada");
    meanwhile = async () => {
      expect((await s.call("DELETE /delete_player/{url_id}", { as: ada })).status).toBe(204);
    };
    expect(said(await guess("Ada"))).toEqual([401, "bad_credentials"]);
    expect(await credentialOf(ada)).toBeNull();
  });
});

describe("a failure", () => {
  it("says that it is one, and is written as the next after what was read", async () => {
    const ada = await join("Ada");
    const before = await credentialOf(ada);
    expect((await guess("Ada")).body.detail).toBe("The alias or the password is wrong.");
    expect(await credentialOf(ada)).toEqual({
      ...before,
      rev: (before?.rev ?? 0) + 1,
      failures: [{ from: addressDigest({ address: "127.0.0.1", isLoopback: true }), count: 1, last: now }],
    });
  });

  it("at an alias that nobody has is counted like any other, also two at once", async () => {
    await Promise.all([guess("Nobody"), guess("Nobody")]);
    const kept = (await scan(s)).filter(({ failures }) => failures !== undefined);
    expect(kept).toEqual([
      expect.objectContaining({ rev: 2, failures: [expect.objectContaining({ count: 2 })] }),
    ]);
  });

  it("at an alias that nobody has is counted beside the first there ever was, that it did not see", async () => {
    beforeWriting = async () => {
      await guess("Nobody");
    };
    await guess("Nobody");
    const kept = (await scan(s)).filter(({ failures }) => failures !== undefined);
    expect(kept).toEqual([
      expect.objectContaining({ rev: 2, failures: [expect.objectContaining({ count: 2 })] }),
    ]);
  });

  it("is known by a part of the digest of the address, and not by the address", () => {
    expect(addressDigest({ address: HOME, isLoopback: false })).toMatch(/^[\w-]{12}$/);
  });

  it("is drawn also where it was made side by side with others, and has to wait", async () => {
    await join("Ada");
    for (let n = 0; n < 4; n += 1) await guess("Ada", { from: HOME });
    const both = await Promise.all([guess("Ada", { from: HOME }), guess("Ada", { from: HOME })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([401, 429]);
    expect(await fullAt()).toBe(now + 6 * EVERY);
  });

  it("is none where the service failed", async () => {
    const ada = await join("Ada");
    away = true;
    expect(said(await guess("Ada", { from: HOME }))).toEqual([503, "unavailable"]);
    away = false;
    const credential = await credentialOf(ada);
    await s.store.db.put({ ...keys.credential(ada.id), ...credential, hash: "rubbish" });
    expect(said(await guess("Ada", { from: HOME }))).toEqual([500, "internal"]);
    expect(await fullAt()).toBeUndefined();
    expect((await credentialOf(ada))?.failures).toBeUndefined();
  });
});
