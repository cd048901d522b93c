/** Who may call what, and when: when sessions end, and the contract's order of checks. */
import { describe, expect, it } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { drawnIfQuick } from "../support/battery.ts";
import type { RequestOptions, Result, TestPlayer } from "../support/service.ts";
import { INVALID_REQUESTS } from "./bodies.ts";
import { ENDPOINTS, type EndpointContract } from "./seed.ts";
import { expectError, expectProblem, isTextual, watchedEnvironment } from "./support.ts";

const w = watchedEnvironment();
const { s } = w;

/** Every endpoint with an id in its path; at quick scale a quarter, which the seed chooses. */
const WITH_ID = ENDPOINTS.filter(({ route }) => route.includes("{url_id}"));
const GUARDED = drawnIfQuick(WITH_ID, 4, "endpoints of callers");
const WITHOUT_ID = ENDPOINTS.filter(
  ({ route, access }) => access !== "public" && !route.includes("{url_id}"),
);
const OF_PLAYERS = GUARDED.filter(({ access }) => access === "player");
const OF_STAFF = GUARDED.filter(({ access }) => access !== "player");
const OF_ADMINISTRATORS = GUARDED.filter(({ access }) => access === "administrator");
/** Where a look-up fails, they have statuses of their own. */
const OF_NOTIFICATIONS = WITH_ID.filter(({ route }) => isTextual(route));
const OTHERS = GUARDED.filter(({ route }) => !isTextual(route));

/** One of each kind; `tests/battery/access.test.ts` has all of them with every state of the token. */
const FEW = WITH_ID.filter(({ route }) =>
  /(GET \/player|POST \/edit_player|POST \/admin\/corpsify|POST \/notifications\/send)\//.test(route),
);

const ask = (route: string, asking: RequestOptions): Promise<Result> => s.call(route, asking);

/** Of several requests that validation would reject, those that cost least. */
const SOME_REQUESTS = INVALID_REQUESTS.filter(({ name }) => /nothing|JSON|query/.test(name));

interface Refused {
  endpoints?: readonly EndpointContract[];
  status: number;
  code: string;
  /** Calls of the database that it may cost; any number unless said. */
  reads?: number;
}

/** Every endpoint rejects the request whatever it carries, and the table stays as it is. */
const expectRefused = async (
  asking: RequestOptions,
  { endpoints = GUARDED, status, code, reads }: Refused,
): Promise<void> => {
  const before = await w.scan();
  w.forget();
  for (const { route } of endpoints) {
    for (const { name, asking: carried } of SOME_REQUESTS) {
      const readsBefore = w.reads();
      expectError(route, await ask(route, { ...carried, ...asking }), status, code, name);
      if (reads !== undefined) expect(w.reads() - readsBefore, `reads: ${route}`).toBeLessThanOrEqual(reads);
    }
  }
  expect(w.writes(), "writes").toBe(0);
  expect(await w.scan()).toBe(before);
};

const REJECTED = { status: 403, code: "token_rejected" };

const ENDED = { ...REJECTED, endpoints: FEW };

const cast = async (): Promise<{ gm: TestPlayer; ada: TestPlayer; ben: TestPlayer }> => ({
  gm: await s.admin(),
  ada: await s.join("Ada"),
  ben: await s.join("Ben"),
});

const broken = () => new Error("secret internals of the database");

describe("a call is rejected with 403, and changes nothing,", () => {
  it("with the id in capitals, malformed, or of nobody", async () => {
    const { gm, ada } = await cast();
    for (const id of [
      ...[ada.id.toUpperCase(), `${ada.id}x`, ada.id.slice(0, -1), ada.id.replaceAll("-", ""), `{${ada.id}}`],
      ...["ME", "0", "{url_id}", "..", "%2e%2e", "'; DROP TABLE", "\u0000", "👻"],
      ...["00000000-0000-0000-0000-000000000000", "6e3f5c0a-1111-4111-8111-000000000000"],
    ]) {
      await expectRefused({ as: ada, id }, { ...ENDED, reads: 0 });
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
      const endpoints = [...GUARDED, ...WITHOUT_ID];
      await expectRefused({ id: "me", headers: { authorization } }, { ...REJECTED, endpoints, reads });
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
    for (const as of [ada, gm]) {
      for (const how of [undefined, broken]) {
        w.fail((key) => key.pk === keys.sessions(as.id).pk, how);
        for (const { route } of GUARDED) {
          const result = await ask(route, { as });
          expectError(route, result, 403, "token_rejected");
          expect(result.text).not.toContain("internals");
        }
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

  it("is 503 when the profile or the game cannot be read, and 500 without internals when the profile is broken", async () => {
    const { ada, gm } = await cast();
    for (const item of [keys.player(gm.id), keys.game]) {
      w.fail(({ pk, sk }) => pk === item.pk && sk === item.sk);
      await expectRefused({ as: gm }, { endpoints: OTHERS, status: 503, code: "unavailable" });
    }
    w.fail(({ pk, sk }) => pk === keys.player(ada.id).pk && sk === "PROFILE");
    await expectRefused({ as: ada }, { endpoints: OTHERS, status: 503, code: "unavailable" });
    w.fail(null);
    await w.engine().put({ ...keys.player(gm.id), state: "ghost" });
    for (const { route } of OTHERS) {
      const result = await ask(route, { as: gm });
      expectProblem(result, 500, "internal", route);
      expect(result.text).not.toMatch(/ghost|zod|invalid/i);
    }
  });

  it("is 403 or 500 on a notification endpoint when the look-up of the player fails, as the seed says", async () => {
    const { gm } = await cast();
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
    expect((await ask("GET /admin/player_count/{url_id}", { as: gm })).status).toBe(200);
    await w
      .engine()
      .put({ ...(await w.engine().get(keys.player(gm.id))), ...keys.player(gm.id), is_admin: false });
    await expectRefused({ as: gm }, { endpoints: OF_STAFF, status: 401, code: "not_administrator" });
  });

  it("is checked in the same order with the id me: the player, the role, and then the request", async () => {
    const { ada, gm } = await cast();
    const query = { nonsense: "1" };
    const expectRejected = async (as: TestPlayer, status: number, code: string, of = GUARDED) => {
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
});

it("the endpoints of every kind are tested", () => {
  expect(WITHOUT_ID.map(({ route }) => route)).toEqual(["GET /session/me"]);
  expect([FEW.length, OF_NOTIFICATIONS.length > 2, GUARDED.length > 15]).toEqual([4, true, true]);
});
