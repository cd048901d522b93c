/** Authentication: what it reads and how consistently, what failures it reports, and when it records the use of a session. */
import { randomUUID } from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { DAY } from "../../lib/domain/time.ts";
import type { Database, StoredItem } from "../../lib/dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { log } from "../../lib/runtime/log.ts";
import { keys } from "../../lib/store/keys.ts";
import { type RequestOptions, type Result, type Someone, testEnvironment } from "../support/service.ts";

type What = "sessions" | "player" | "game" | "other";

let now = 0;
let reads: string[] = [];
let puts: StoredItem[] = [];
/** What an eventually consistent read does not see yet. */
let lagging: Set<What> = new Set();
let broken: Map<What | "put", Error> = new Map();
/** How many transactions fail because something has changed. */
let moved = 0;

const whatIs = ({ pk, sk }: { pk: string; sk: string }): What => {
  if (pk.startsWith("SECRET#") && sk === "SESSIONS") return "sessions";
  if (pk === keys.game.pk && sk === keys.game.sk) return "game";
  return pk.startsWith(keys.player("").pk) && sk === keys.player("").sk ? "player" : "other";
};

const watched = (usual: Database): Database => ({
  ...usual,
  async get(key, options) {
    const what = whatIs(key);
    const isCheap = options?.consistent === false;
    reads.push(`${what}${isCheap ? " eventually" : ""}`);
    const fault = broken.get(what);
    if (fault !== undefined) throw fault;
    return isCheap && lagging.has(what) ? undefined : usual.get(key, options);
  },
  async transact(writes, token) {
    moved -= 1;
    if (moved >= 0) throw new ConditionFailed("moved");
    await usual.transact(writes, token);
  },
  async put(item, expectation) {
    if (whatIs(item) !== "sessions") return usual.put(item, expectation);
    puts.push(item);
    const fault = broken.get("put");
    if (fault !== undefined) throw fault;
    await usual.put(item, expectation);
  },
});

const s = testEnvironment({ services: () => ({ clock: () => now }), database: watched });

const forget = (): void => {
  reads = [];
  puts = [];
};

beforeEach(() => {
  now = Date.now();
  lagging = new Set();
  broken = new Map();
  moved = 0;
  forget();
  vi.restoreAllMocks();
});

const look = (as: Someone | null, more: RequestOptions = {}): Promise<Result> =>
  s.call("GET /player/{url_id}", { as, ...more });

/** A player with an invented token. */
const forgedOf = (one: Someone): Someone => ({
  ...one,
  token: `${one.token.slice(0, -1)}${one.token.endsWith("A") ? "B" : "A"}`,
});

const outcomeOf = ({ status, body }: Result) => [status, body.code];

describe("what is read", () => {
  it.each<[what: string, route: string, isAdmin: boolean, reads: string[]]>([
    [
      "the sessions alone, for a player who reads",
      "GET /player",
      false,
      ["player eventually", "game eventually"],
    ],
    ["everything, for a player who changes something", "POST /edit_player", false, ["player", "game"]],
    [
      "also the right, for an administrator who reads",
      "GET /admin/player_count",
      true,
      ["player", "game eventually"],
    ],
  ])("is consistent for %s", async (_what, route, isAdmin, expected) => {
    const as = isAdmin ? await s.admin() : await s.join("Ada");
    forget();
    const body = route.startsWith("POST") ? { body: { first_name: "Ada" } } : {};
    expect((await s.call(`${route}/{url_id}`, { as, ...body })).status).toBe(200);
    expect(reads.slice(0, 3)).toEqual(["sessions", ...expected]);
  });

  it("is read again for a player whom the copy does not have yet", async () => {
    const ada = await s.join("Ada");
    lagging = new Set(["player"]);
    forget();
    expect((await look(ada)).body.alias).toBe("Ada");
    expect(reads).toEqual(["sessions", "player eventually", "game eventually", "player"]);
  });

  it("is not read again for a player without such a session", async () => {
    const ada = await s.join("Ada");
    lagging = new Set(["player"]);
    forget();
    const rejected = await look(forgedOf(ada));
    expect(outcomeOf(rejected)).toEqual([403, "token_rejected"]);
    expect(rejected.body.detail).toBe("This session has ended. Log in again.");
    expect(reads).toEqual(["sessions", "player eventually", "game eventually"]);
  });

  it("is not read again for a command of a player who does not exist", async () => {
    const ada = await s.join("Ada");
    const { pk, sk } = keys.player(ada.id);
    await s.store.db.transact([{ remove: { pk, sk } }], randomUUID());
    forget();
    const edit = { as: ada, body: { first_name: "Ada" } };
    expect(outcomeOf(await s.call("POST /edit_player/{url_id}", edit))).toEqual([404, "player_not_found"]);
    expect(reads).toEqual(["sessions", "player", "game"]);
    forget();
    expect(outcomeOf(await look(ada))).toEqual([404, "player_not_found"]);
    expect(reads).toEqual(["sessions", "player eventually", "game eventually", "player"]);
  });
});

describe("a logout", () => {
  const leave = (as: Someone | null, body = {}) =>
    s.call("POST /logout", { as, body, ...(as === null ? { id: "" } : {}) });
  const GONE = "This session does not exist or has ended.";

  it("finds the session by an eventually consistent read", async () => {
    const ada = await s.join("Ada");
    forget();
    expect((await leave(ada)).status).toBe(204);
    expect(reads).toEqual(["sessions eventually", "player eventually"]);
    expect((await s.store.sessions(ada.id))?.sessions).toEqual([]);
  });

  it("reads again for a session that has just been opened", async () => {
    const ada = await s.join("Ada");
    lagging = new Set(["sessions"]);
    forget();
    expect((await leave(ada, { everywhere: true })).status).toBe(204);
    expect(reads).toEqual(["sessions eventually", "player eventually", "sessions", "player"]);
    expect((await s.store.sessions(ada.id))?.sessions).toEqual([]);
  });

  it("reads consistently after a conflict", async () => {
    const ada = await s.join("Ada");
    moved = 1;
    forget();
    expect((await leave(ada)).status).toBe(204);
    expect(reads).toEqual(["sessions eventually", "player eventually", "sessions", "player"]);
  });

  it("without a token reads nothing, and without a session is 403", async () => {
    const ada = await s.join("Ada");
    forget();
    const none = await leave(null);
    expect([outcomeOf(none), none.body.detail]).toEqual([[403, "token_rejected"], GONE]);
    expect(reads).toEqual([]);
    await s.store.db.transact([{ remove: keys.sessions(ada.id) }], randomUUID());
    const gone = await leave(ada);
    expect([outcomeOf(gone), gone.body.detail]).toEqual([[403, "token_rejected"], GONE]);
  });
});

describe("the use of a session", () => {
  it.each([
    ["somebody has just written the sessions", new ConditionFailed("moved"), 0],
    ["the database is busy", new DatabaseBusy("away"), 0],
    ["it cannot be written", new TypeError("no such thing"), 1],
  ])("is not recorded when %s", async (_why, fault, lines) => {
    const ada = await s.join("Ada");
    const logged = vi.spyOn(log, "error").mockImplementation(() => {});
    now += 2 * DAY;
    broken = new Map([["put", fault]]);
    expect((await look(ada)).status).toBe(200);
    expect(puts).toHaveLength(1);
    expect(logged.mock.calls).toEqual(
      Array.from({ length: lines }, () => ["session use not recorded", { error: fault }]),
    );
  });
});
