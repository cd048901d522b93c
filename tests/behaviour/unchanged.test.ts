/** Responses with an ETag: a response that a client already has is sent again only when it has changed. */
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { type RequestOptions, type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment();
const { done } = shortRequests(s);

describe("the ETag of what depends on the clock", () => {
  const PLAYER = "GET /player/{url_id}";
  const GAME = "GET /game/{url_id}";
  const STARVATION = "GET /zombie/starvation/{url_id}";
  const FEEDING = "GET /zombie/next_feeding/{url_id}";
  const INTERACTIONS = "GET /interactions/{url_id}";
  const POLLED = [PLAYER, GAME, STARVATION, FEEDING, INTERACTIONS];

  /** Polls endpoints as a page does, and expects which of their responses have changed. */
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

  const AFTER_FEEDING = [PLAYER, STARVATION, FEEDING, INTERACTIONS];

  it("changes with every state, by a command or by the clock alone", async () => {
    const [gm, zed, ann] = await s.game("Zed", "Ann");
    const expectChanged = page(zed);
    await expectChanged(POLLED, "at first");
    s.now += 5 * HOUR;
    await expectChanged([], "while nothing happens");
    // The response to a command has no ETag.
    expect((await s.hunt(zed, ann)).headers.etag).toBeUndefined();
    await expectChanged(POLLED, "after a hunt");
    s.now += 6 * HOUR;
    await done(gm, "feed_player", { alias: "Zed" });
    await expectChanged(AFTER_FEEDING, "after a feeding");
    await done(gm, "zombies_add_day");
    await expectChanged(AFTER_FEEDING, "after a day was added");
    s.now += 44 * HOUR;
    await expectChanged([STARVATION], "when Ann is hungry");
    s.now += 23 * HOUR;
    await expectChanged([GAME, STARVATION], "when Ann has starved");
    s.now += 6 * HOUR;
    const ofCorpses = POLLED.filter((route) => route !== FEEDING);
    await expectChanged([PLAYER, GAME, STARVATION], "when the caller has starved", ofCorpses);
  });
});

it("304 has the headers by which caches choose a response: Vary, as 200 would have, besides ETag and Cache-Control", async () => {
  for (const [route, vary] of [
    ["GET /openapi.json", "accept-encoding"],
    ["GET /health", undefined],
  ] as const) {
    const full = await s.call(route);
    const { etag = "" } = full.headers;
    const unchanged = await s.call(route, { headers: { "if-none-match": etag } });
    expect([full.status, unchanged.status, unchanged.text], route).toEqual([200, 304, ""]);
    for (const { headers } of [full, unchanged]) expect(headers.vary, route).toBe(vary);
  }
});
