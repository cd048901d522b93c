/** Responses with an ETag: a client that has one is sent it again only when it has changed. */
import { describe, expect, it } from "vitest";
import { type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const LISTS = [
  "GET /interactions/leaderboard/{url_id}",
  "GET /interactions/tree/{url_id}",
  "GET /interactions/{url_id}",
  "GET /users/{url_id}",
] as const;

const ask = (route: string, as: Someone, etag?: string) =>
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

  it("is 403, not 304, without a valid token", async () => {
    const ann = await s.join("Ann");
    const { headers } = await ask(LISTS[0], ann);
    const stranger = { ...ann, token: ann.token.replace(/.$/, (last) => (last === "A" ? "B" : "A")) };
    expect((await ask(LISTS[0], stranger, headers.etag)).status).toBe(403);
  });

  it("is none that is an error, or that answers a command", async () => {
    const ann = await s.join("Ann");
    const rejected = await s.call("GET /pfp/{url_id}", { as: ann, headers: { "if-none-match": "*" } });
    expect(rejected.status).toBe(404);
    expect(rejected.headers.etag).toBeUndefined();
    const edited = await s.call("POST /edit_player/{url_id}", {
      as: ann,
      body: { first_name: "Ann" },
      headers: { "if-none-match": "*" },
    });
    expect(edited.status).toBe(200);
    expect(edited.headers.etag).toBeUndefined();
  });
});
