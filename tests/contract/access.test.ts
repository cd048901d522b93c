/** Who may call what, and the order of checks. Every endpoint with tokens of all kinds: tests/battery/access.test.ts. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Key } from "../../lib/dynamodb/key.ts";
import { keys } from "../../lib/store/keys.ts";
import type { RequestOptions, TestPlayer } from "../support/service.ts";
import { snapshot } from "../support/snapshot.ts";
import { raw } from "./bodies.ts";
import { ENDPOINTS, type EndpointContract, TRIED } from "./endpoints.ts";
import { expectError, isTextual, watchedEnvironment } from "./support.ts";

const w = watchedEnvironment();
const { s } = w;

const WITH_ID = ENDPOINTS.filter(({ route }) => route.includes("{url_id}"));
const GUARDED = TRIED.filter((one) => WITH_ID.includes(one));
const SESSION = ENDPOINTS.filter(({ route }) => route === "GET /session/me");
const of = (...some: string[]) => GUARDED.filter(({ access }) => some.includes(access));
/** The notification endpoints, which have statuses of their own when the profile or the game cannot be read. */
const OF_NOTIFICATIONS = WITH_ID.filter(({ route }) => isTextual(route));
const OF_VISITORS = ENDPOINTS.filter(({ route }) => route === "GET /seasons");
const OTHERS = [...GUARDED.filter(({ route }) => !isTextual(route)), ...OF_VISITORS];
const ONE_OF_EACH_KIND = WITH_ID.filter(({ route }) =>
  /(GET \/player|POST \/edit_player|POST \/admin\/corpsify|POST \/notifications\/send)\//.test(route),
);

/** A request with nothing in it, and one whose body and query validation would reject. */
const REQUESTS: RequestOptions[] = [{}, { ...raw("{"), query: { limit: "abc", nonsense: "1" } }];

/** Every endpoint rejects the request whatever it carries, without internals, and the table stays as it is. */
const expectRefused = async (
  asking: RequestOptions,
  [status, code]: readonly [number, string],
  endpoints: readonly EndpointContract[] = GUARDED,
  maxReads = Number.POSITIVE_INFINITY,
): Promise<void> => {
  const before = await snapshot(s);
  for (const { route } of endpoints) {
    for (const carried of REQUESTS) {
      w.forget();
      const result = await s.call(route, { ...carried, ...asking });
      expectError(route, result, status, code);
      expect(result.text).not.toMatch(/ghost|zod/i);
      expect(w.reads(), `reads: ${route}`).toBeLessThanOrEqual(maxReads);
      expect(w.writes(), `writes: ${route}`).toBe(0);
    }
  }
  expect(await snapshot(s)).toEqual(before);
};

const REJECTED = [403, "token_rejected"] as const;
const UNAVAILABLE = [503, "unavailable"] as const;
const INTERNAL = [500, "internal"] as const;

const callers = async () => ({ gm: await s.admin(), ada: await s.join("Ada") });
const remove = (key: Key) => s.store.db.transact([{ remove: key }], randomUUID());

it("a call is rejected with 403, and changes nothing, with the id in capitals, malformed, or of nobody", async () => {
  const { gm, ada } = await callers();
  const malformed = [`${ada.id}x`, ada.id.replaceAll("-", ""), "ME", "0", "..", "\u0000", "👻"];
  for (const id of [ada.id.toUpperCase(), ...malformed, "6e3f5c0a-1111-4111-8111-000000000000"])
    await expectRefused({ as: ada, id }, REJECTED, ONE_OF_EACH_KIND, 0);
  await expectRefused({ as: gm, id: gm.id.toUpperCase() }, REJECTED, GUARDED, 0);
});

describe("a call with a good token", () => {
  it("is 404, Player not found, when the profile is missing although the session is valid", async () => {
    const { ada, gm } = await callers();
    for (const as of [ada, gm]) {
      await remove(keys.player(as.id));
      await expectRefused({ as }, [404, "player_not_found"], [...GUARDED, ...OF_VISITORS]);
    }
    expect((await s.call("GET /player/{url_id}", { as: ada })).body.detail).toBe("Player not found");
    for (const { route } of OF_NOTIFICATIONS)
      expect((await s.call(route, { as: gm })).text).toBe("Player not found");
  });

  it.each([
    ["sessions", ({ id }: TestPlayer) => keys.sessions(id), REJECTED, REJECTED],
    ["profile", ({ id }: TestPlayer) => keys.player(id), UNAVAILABLE, INTERNAL],
    ["game", () => keys.game, UNAVAILABLE, INTERNAL],
  ])("is rejected when the read of the %s is throttled or fails", async (what, keyOf, away, broken) => {
    const { gm } = await callers();
    const { pk, sk } = keyOf(gm);
    for (const [expected, how] of [[away], [broken, () => new Error("secret internals")]] as const) {
      w.fail((key) => key.pk === pk && key.sk === sk, how);
      const others = what === "sessions" ? GUARDED : OTHERS;
      await expectRefused({ as: gm }, expected, others);
      if (what === "sessions") continue;
      // These respond 403, or 500 to a DELETE.
      for (const endpoint of OF_NOTIFICATIONS)
        await expectRefused({ as: gm }, [endpoint.route.startsWith("DELETE ") ? 500 : 403, ""], [endpoint]);
    }
  });

  it("is 500 without internals when the profile is broken", async () => {
    const { gm } = await callers();
    await s.store.db.put({ ...keys.player(gm.id), state: "ghost" });
    await expectRefused({ as: gm }, INTERNAL, OTHERS);
  });

  it("is checked in the same order with the id me: the player, the role, and then the request", async () => {
    const { ada, gm } = await callers();
    const expectRejected = async (as: TestPlayer, status: number, code: string, some: typeof GUARDED) => {
      for (const { route } of some) {
        const body = route.startsWith("POST ") ? { nonsense: 1 } : undefined;
        const result = await s.call(route, { as, id: "me", query: { nonsense: "1" }, body });
        expectError(route, result, status, code);
      }
    };
    await expectRejected(ada, 401, "not_administrator", of("administrator"));
    await expectRejected(ada, 400, "invalid_request", [...of("player"), ...SESSION]);
    await expectRejected(gm, 400, "invalid_request", GUARDED);
    await remove(keys.player(gm.id));
    await expectRejected(gm, 404, "player_not_found", [...GUARDED, ...SESSION]);
  });
});
