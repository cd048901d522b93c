/** Who may call what, and when: when sessions end, and the contract's order of checks. */
import { afterAll, describe, expect, it } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import type { RequestOptions, Result, Someone } from "../support/service.ts";
import { INVALID_REQUESTS, LARGE_BODIES } from "./bodies.ts";
import { ENDPOINTS, type EndpointContract } from "./seed.ts";
import { expectError, expectProblem, isTextual, watchedEnvironment } from "./support.ts";

const w = watchedEnvironment();
const { s } = w;

const GUARDED = ENDPOINTS.filter(({ route }) => route.includes("{url_id}"));
const WITHOUT_ID = ENDPOINTS.filter((one) => one.access !== "public" && !GUARDED.includes(one));
const OF_ADMINISTRATORS = GUARDED.filter(({ access }) => access === "administrator");
const OF_MODERATORS = GUARDED.filter(({ access }) => access === "moderator");
/** Those of everybody who runs the game. */
const OF_STAFF = [...OF_MODERATORS, ...OF_ADMINISTRATORS];
/** Where a look-up fails, they have statuses of their own. */
const OF_NOTIFICATIONS = GUARDED.filter(({ route }) => isTextual(route));
const OTHERS = GUARDED.filter(({ route }) => !isTextual(route));
const OF_PLAYERS = GUARDED.filter(({ access }) => access === "player");

/** One of each kind; `tests/battery/access.test.ts` has all of them with every state of the token. */
const FEW = GUARDED.filter(({ route }) =>
  /(GET \/player|POST \/edit_player|POST \/admin\/corpsify|POST \/notifications\/send)\//.test(route),
);

let calls = 0;

const ask = (route: string, asking: RequestOptions): Promise<Result> => {
  calls += 1;
  return s.call(route, asking);
};

interface Refused {
  endpoints?: readonly EndpointContract[];
  status: number;
  code: string;
  /** Calls of the database that it may cost; any number unless said. */
  reads?: number;
  /** What the calls carry; everything unless said. */
  carrying?: typeof INVALID_REQUESTS;
}

/** Every endpoint rejects the request whatever it carries, and the table stays as it is. */
const expectRefused = async (
  asking: RequestOptions,
  { endpoints = GUARDED, status, code, reads, carrying = INVALID_REQUESTS }: Refused,
): Promise<void> => {
  const before = await w.scan();
  w.forget();
  let most = 0;
  for (const { route } of endpoints) {
    for (const { name, asking: carried } of carrying) {
      const readsBefore = w.reads();
      const result = await ask(route, { ...carried, ...asking });
      expectError(route, result, status, code, name);
      most = Math.max(most, w.reads() - readsBefore);
    }
  }
  expect(w.writes(), "writes").toBe(0);
  expect(await w.scan()).toBe(before);
  if (reads !== undefined) expect(most, "reads").toBeLessThanOrEqual(reads);
};

const REJECTED = { status: 403, code: "token_rejected" };

/** The same for a token that is looked up, with fewer requests: each reads the table. */
const ENDED = {
  ...REJECTED,
  endpoints: FEW,
  carrying: INVALID_REQUESTS.filter(({ name }) => /nothing|JSON|query/.test(name)),
};

const cast = async (): Promise<{ gm: Someone; ada: Someone; ben: Someone }> => ({
  gm: await s.admin(),
  ada: await s.join("Ada"),
  ben: await s.join("Ben"),
});

describe("a call is rejected with 403, and changes nothing,", () => {
  it("with the id in capitals, malformed, or of nobody", async () => {
    const { gm, ada } = await cast();
    for (const id of [
      ...[ada.id.toUpperCase(), `${ada.id}x`, ada.id.slice(0, -1), ada.id.replaceAll("-", ""), `{${ada.id}}`],
      ...["ME", "0", "{url_id}", "..", "%2e%2e", "'; DROP TABLE", "\u0000", "👻"],
      ...["00000000-0000-0000-0000-000000000000", "6e3f5c0a-1111-4111-8111-000000000000"],
    ]) {
      await expectRefused({ as: ada, id }, { ...REJECTED, endpoints: GUARDED.slice(0, 6), reads: 0 });
    }
    await expectRefused({ as: gm, id: gm.id.toUpperCase() }, { ...REJECTED, reads: 0 });
  });

  it("with the id me and no token, or one that is malformed or forged", async () => {
    const { ada } = await cast();
    for (const [authorization, reads] of [
      ["", 0],
      ["Bearer me", 0],
      [`Bearer ${ada.token}x`, 0],
      [`Bearer ${ada.token.replace(/.{43}$/, "A".repeat(43))}`, 3],
    ] as const) {
      const carrying = INVALID_REQUESTS.filter(({ name }) => /nothing|query/.test(name));
      await expectRefused(
        { id: "me", headers: { authorization } },
        { ...REJECTED, endpoints: [...GUARDED, ...WITHOUT_ID], reads, carrying },
      );
    }
  });

  // Every endpoint with such tokens is in tests/battery/access.test.ts; here are the exact limits.
  it.each([
    ["a player", false, 7 * DAY, 30 * DAY],
    ["an administrator", true, 12 * HOUR, 7 * DAY],
  ])(
    "when the session of %s was idle too long, or has reached its maximum age",
    async (_who, isAdmin, idle, inAll) => {
      const { gm, ada } = await cast();
      const as = isAdmin ? gm : ada;
      const expectValid = async () => expect((await ask("GET /player/{url_id}", { as })).status).toBe(200);
      w.pass(idle);
      await expectRefused({ as }, ENDED);
      w.pass(-5_000);
      await expectValid();
      const sessions = await s.store.sessions(as.id);
      if (sessions === null) throw new Error("no sessions");
      const used = sessions.sessions.map((one) => ({ ...one, last_used: one.created_at + inAll - HOUR }));
      await w.engine().put({ ...keys.sessions(as.id), ...sessions, sessions: used });
      w.pass(inAll - idle);
      await expectValid();
      w.pass(5_000);
      await expectRefused({ as }, ENDED);
    },
  );

  it("when the token cannot be checked, because the sessions cannot be read", async () => {
    const { ada, gm } = await cast();
    const broken = () => new Error("secret internals of the database");
    for (const as of [ada, gm]) {
      for (const how of [undefined, broken]) {
        w.fail((key) => key.pk === keys.sessions(as.id).pk, how);
        const results: string[] = [];
        for (const { route } of GUARDED) {
          const result = await ask(route, { as });
          expectError(route, result, 403, "token_rejected");
          results.push(result.text);
        }
        expect(results.join()).not.toContain("internals");
        w.fail(null);
      }
    }
  });
});

describe("a call with a good token", () => {
  it("is 404, Player not found, when the profile is missing while the session lives", async () => {
    const { ada, gm } = await cast();
    for (const as of [ada, gm]) {
      await w.engine().transact([{ remove: keys.player(as.id) }], crypto.randomUUID());
      await expectRefused({ as }, { status: 404, code: "player_not_found" });
      expect((await ask("GET /player/{url_id}", { as })).body.detail).toBe("Player not found");
      if (as !== gm) continue;
      for (const { route } of OF_NOTIFICATIONS)
        expect((await ask(route, { as })).text).toBe("Player not found");
    }
  });

  it("is 503 with Retry-After when the profile or the game cannot be read", async () => {
    const { ada, gm } = await cast();
    for (const item of [keys.player(gm.id), keys.game]) {
      w.fail(({ pk, sk }) => pk === item.pk && sk === item.sk);
      await expectRefused({ as: gm }, { endpoints: OTHERS, status: 503, code: "unavailable" });
    }
    w.fail(({ pk, sk }) => pk === keys.player(ada.id).pk && sk === "PROFILE");
    await expectRefused({ as: ada }, { endpoints: OTHERS, status: 503, code: "unavailable" });
  });

  it("is 500 without internals when the profile is broken", async () => {
    const { gm } = await cast();
    await w.engine().put({ ...keys.player(gm.id), state: "ghost" });
    for (const { route } of OTHERS) {
      const result = await ask(route, { as: gm });
      expectProblem(result, 500, "internal", route);
      expect(result.text).not.toMatch(/ghost|zod|invalid/i);
    }
  });

  it("is 403 or 500 on a notification endpoint when the look-up of the player fails, as the seed says", async () => {
    const { gm } = await cast();
    const broken = () => new Error("secret internals of the database");
    for (const how of [undefined, broken]) {
      for (const item of [keys.player(gm.id), keys.game])
        for (const { route } of OF_NOTIFICATIONS) {
          w.fail(({ pk, sk }) => pk === item.pk && sk === item.sk, how);
          const result = await ask(route, { as: gm });
          expectError(route, result, route.startsWith("DELETE ") ? 500 : 403, "");
          expect(result.text).not.toContain("internals");
        }
      w.fail(null);
    }
  });

  it("is 401 on the admin module as soon as the right is taken", async () => {
    const { gm } = await cast();
    const player = await s.store.player(gm.id);
    if (player === null) throw new Error("no player");
    expect((await ask("GET /admin/player_count/{url_id}", { as: gm })).status).toBe(200);
    const item = await w.engine().get(keys.player(gm.id));
    if (item === undefined) throw new Error("no item");
    await w.engine().put({ ...item, is_admin: false });
    await expectRefused({ as: gm }, { endpoints: OF_STAFF, status: 401, code: "not_administrator" });
  });

  it("is checked in the same order with the id me: the player, the role, and then the request", async () => {
    const { ada, gm } = await cast();
    const query = { nonsense: "1" };
    const expectRejected = async (as: Someone, status: number, code: string, of = GUARDED) => {
      for (const { route } of of) {
        const body = route.startsWith("POST ") ? { nonsense: 1 } : undefined;
        expectError(route, await ask(route, { as, id: "me", query, body }), status, code);
      }
    };
    await expectRejected(ada, 401, "not_administrator", OF_ADMINISTRATORS);
    await expectRejected(ada, 400, "invalid_request", [...OF_PLAYERS, ...WITHOUT_ID]);
    await expectRejected(gm, 400, "invalid_request");
    await w.engine().transact([{ remove: keys.player(gm.id) }], crypto.randomUUID());
    await expectRejected(gm, 404, "player_not_found", [...GUARDED, ...WITHOUT_ID]);
  });

  it("is then validated: 400, 413 and 415", async () => {
    const { ada, gm } = await cast();
    for (const { route, access } of GUARDED) {
      const as = access === "player" ? ada : gm;
      for (const { name, asking } of INVALID_REQUESTS.slice(1)) {
        const isGet = route.startsWith("GET ");
        const looksAt = name === "a bad query" || !isGet;
        if (!looksAt || name === "a bad Idempotency-Key") continue;
        if (route in LARGE_BODIES && name === "a body too large") continue;
        const result = await ask(route, { as, ...asking });
        const status = name === "a body too large" ? 413 : name === "a body of another type" ? 415 : 400;
        const code =
          { 400: "invalid_request", 413: "too_large", 415: "unsupported_media_type" }[status] ?? "";
        expectError(route, result, status, code, name);
      }
    }
    expect((await ask("GET /player/{url_id}", { as: ada })).body.state).toBe("human");
  });
});

afterAll(() => {
  expect(calls).toBeGreaterThan(2_000);
  expect(WITHOUT_ID.map(({ route }) => route)).toEqual(["GET /session/me"]);
  expect(GUARDED.length).toBe(OF_PLAYERS.length + OF_MODERATORS.length + OF_ADMINISTRATORS.length);
  expect(FEW).toHaveLength(4);
});
