/** Responses with an ETag: a client that has one is sent it again only when it has changed. */
import { beforeEach, describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { type RequestOptions, type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

let passed = 0;
const s = testEnvironment({ services: (usual) => ({ clock: () => usual.clock() + passed }) });
const { done } = shortRequests(s);

beforeEach(() => {
  passed = 0;
});

const LISTS = [
  "GET /interactions/leaderboard/{url_id}",
  "GET /interactions/tree/{url_id}",
  "GET /interactions/{url_id}",
  "GET /users/{url_id}",
] as const;

const ask = (route: string, as: TestPlayer, etag?: string) =>
  s.call(route, { as, ...(etag === undefined ? {} : { headers: { "if-none-match": etag } }) });

describe("a response with an ETag", () => {
  it.each(LISTS)("is sent again only when it has changed: %s", async (route) => {
    const [, zed, ann] = await s.game("Zed", "Ann");
    const first = await ask(route, ann);
    const etag = first.headers.etag ?? "";
    expect(etag).toMatch(/^W\/"[\w-]{43}"$/);
    for (const known of [etag, `"other", ${etag}`, "*"]) {
      const again = await ask(route, ann, known);
      expect(again).toMatchObject({ status: 304, text: "" });
      expect(again.headers).toMatchObject({ etag, "cache-control": "no-store" });
      expect(again.headers["x-request-id"]).toMatch(/./);
    }
    expect(await ask(route, ann, '"other"')).toMatchObject({ status: 200, text: first.text });

    await s.hunt(zed, ann);
    const changed = await ask(route, ann, etag);
    expect(changed.status).toBe(200);
    expect(changed.headers.etag).not.toBe(etag);
  });

  it("is none without a valid token, for an error, or for a command", async () => {
    const ann = await s.join("Ann");
    const { headers } = await ask(LISTS[0], ann);
    expect((await ask(LISTS[0], { ...ann, token: "x" }, headers.etag)).status).toBe(403);
    const command = { as: ann, body: { first_name: "Ann" }, headers: { "if-none-match": "*" } };
    for (const [status, result] of [
      [404, await ask("GET /pfp/{url_id}", ann, "*")],
      [200, await s.call("POST /edit_player/{url_id}", command)],
    ] as const)
      expect([result.status, result.headers.etag]).toEqual([status, undefined]);
  });
});

describe("the ETag of what depends on the clock", () => {
  const PLAYER = "GET /player/{url_id}";
  const GAME = "GET /game/{url_id}";
  const STARVATION = "GET /zombie/starvation/{url_id}";
  const FEEDING = "GET /zombie/next_feeding/{url_id}";
  const INTERACTIONS = "GET /interactions/{url_id}";
  const POLLED = [PLAYER, GAME, STARVATION, FEEDING, INTERACTIONS];

  /** Those that answer a corpse too. */
  const LASTING = POLLED.filter((route) => route !== FEEDING);

  /** A page that asks each endpoint again: which of them have changed. */
  const page = (as: TestPlayer) => {
    const etags = new Map<string, string>();
    return async (changed: readonly string[], say: string, of: readonly string[] = POLLED) => {
      for (const route of of) {
        const query: RequestOptions["query"] = route === INTERACTIONS ? { limit: 1 } : {};
        const headers = { "if-none-match": etags.get(route) ?? '"none"' };
        const result = await s.call(route, { as, query, headers });
        etags.set(route, result.headers.etag ?? "");
        expect(result.status, `${route} ${say}`).toBe(changed.includes(route) ? 200 : 304);
      }
    };
  };

  it("changes with every state, whether somebody acted or the clock alone", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    const expectChanged = page(zed);
    await expectChanged(POLLED, "at first");
    passed = 5 * HOUR;
    await expectChanged([], "while nothing happens");
    await s.hunt(zed, ann);
    await expectChanged(POLLED, "after a hunt");
    passed = 11 * HOUR;
    await done(gm, "feed_player", { alias: "Zed" });
    await expectChanged([PLAYER, STARVATION, FEEDING, INTERACTIONS], "after a feeding");
    await done(gm, "zombies_add_day");
    await expectChanged([PLAYER, STARVATION, FEEDING, INTERACTIONS], "after a day was added");
    passed = 55 * HOUR;
    await expectChanged([STARVATION], "when Ann is hungry");
    passed = 78 * HOUR;
    await expectChanged([GAME, STARVATION], "when Ann has starved");
    passed = 84 * HOUR;
    await expectChanged([PLAYER, GAME, STARVATION], "when the caller has starved", LASTING);
    await expectChanged([], "as nothing happened since", LASTING);
  });

  it("is the same during a pause, when the deadlines move, and another at its beginning and its end", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    await s.outbreak(gm, ann);
    const expectChanged = page(zed);
    await expectChanged(POLLED, "at first");
    await done(gm, "pause_game");
    await expectChanged(POLLED, "when the game is paused");
    passed = 3 * HOUR;
    await expectChanged([], "three hours later");
    // A day added is a change also while the clock stands.
    await done(gm, "zombies_add_day");
    await expectChanged([PLAYER, STARVATION, FEEDING, INTERACTIONS], "after a day was added");
    passed = 4 * HOUR;
    await expectChanged([], "an hour later");
    await done(gm, "resume_game");
    await expectChanged(POLLED, "when the game is resumed");
    passed = 5 * HOUR;
    await expectChanged([], "an hour after the end of the pause");
  });
});
