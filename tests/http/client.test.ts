/** The client of client/: its types, its retries and errors, and the bot of its examples. */
import { expect, it } from "vitest";
import { playZombie } from "../../client/examples/bot.ts";
import { GameClient, GameError } from "../../client/src/index.ts";
import { clientOf } from "../support/client.ts";
import { honest } from "../support/pictures.ts";
import { running } from "../support/running.ts";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();

it("the client refuses at compile time requests that the service rejects", () => {
  const game = clientOf();
  // The calls are only compiled.
  const calls = () => [
    // @ts-expect-error an unknown key
    game.post("/zombie/hunt/{url_id}", { body: { tag_code: "K7QX2M9P", nonsense: 1 } }),
    // @ts-expect-error an unknown key further down
    game.post("/admin/settings/{url_id}", { body: { join_codes: [{ code: "abcd", nonsense: 1 }] } }),
    // @ts-expect-error a missing body
    game.post("/zombie/hunt/{url_id}"),
    // @ts-expect-error an unknown parameter
    game.get("/users/{url_id}", { query: { limits: 3 } }),
    // @ts-expect-error an unknown path
    game.get("/nonsense"),
  ];
  expect(calls).toBeTypeOf("function");
});

it("the client repeats with the same key after Retry-After, and reads the gateway's responses", async () => {
  const waits: number[] = [];
  const keys: (string | null)[] = [];
  const responses = [
    () => Response.json({ message: "Too Many Requests" }, { status: 429 }),
    () => Promise.reject(new TypeError("failed to fetch")),
    () => new Response(new ReadableStream({ pull: () => Promise.reject(new TypeError("terminated")) })),
    () => new Response("", { status: 503, headers: { "retry-after": "7", "x-request-id": "r" } }),
    () => Response.json({ paused: true, since: null }),
  ].values();
  const game = new GameClient({
    fetch: async (_url, { headers }) => {
      keys.push(new Headers(headers).get("idempotency-key"));
      return responses.next().value?.() ?? Response.json({ message: "Not Found" }, { status: 404 });
    },
    sleep: async (ms) => void waits.push(ms),
  });
  expect(await game.post("/admin/pause_game/{url_id}")).toEqual({ paused: true, since: null });
  expect(new Set(keys).size).toBe(1);
  expect(waits).toHaveLength(4);
  expect(waits[3]).toBeGreaterThanOrEqual(7_000);
  expect(waits[3]).toBeLessThan(15_000);
  const lost = game.post("/admin/pause_game/{url_id}");
  await expect(lost).rejects.toMatchObject({ status: 404, code: "gateway", requestId: null });
  await expect(lost).rejects.toBeInstanceOf(GameError);
  expect(keys[5]).not.toBe(keys[0]);
});

it("the client throws an abort as it is, and a timeout as an unreachable service", async () => {
  const game = new GameClient({ fetch: (_url, { signal }) => Promise.reject(signal?.reason) });
  const left = new Error("left the page");
  await expect(game.get("/public", { signal: AbortSignal.abort(left) })).rejects.toBe(left);
  const late = AbortSignal.abort(new DOMException("too late", "TimeoutError"));
  await expect(game.get("/public", { signal: late })).rejects.toMatchObject({ code: "network" });
});

it("the bot of the client's examples tags, and reports a wrong code and the time left", async () => {
  const [, , ada] = await s.game("Bot", "Ada");
  const said: string[] = [];
  const codes = [ada.code ?? "", "ZZZZZZZZ"];
  const password = "correct horse battery";
  await playZombie({ baseUrl: running().base, alias: "Bot", password, codes }, (line) => said.push(line));
  expect(said[0]).toMatch(/^Tagged Ada: 1 so far, fed until 2/);
  expect(said[1]).toMatch(/\(unknown_tag_code\)$/);
  expect(said[2]).toBe("48 hours left.");
});

it("the client reads a list page by page, and throws the errors of an invalid request", async () => {
  const [, ada] = await s.game("Ada", "Ben");
  const viewer = clientOf(ada);
  const aliases: string[] = [];
  for await (const { users } of viewer.pages("/users/{url_id}", { query: { limit: 1 } }))
    aliases.push(...users.map(({ alias }) => alias));
  expect(aliases).toEqual(["Ada", "Ben", "Game Master"]);
  const errors = [{ path: "email", code: "invalid" }];
  const invalid = viewer.post("/edit_player/{url_id}", { body: { email: "nonsense" } });
  await expect(invalid).rejects.toMatchObject({ errors, requestId: expect.any(String) });
});

it("the client sends a picture as bytes, and gets it as bytes", async () => {
  const ada = await s.join("Ada");
  const raw = { body: await honest.png(), type: "application/octet-stream" };
  const { bytes } = (await s.must("POST /set_pfp/{url_id}", { as: ada, raw })).body;
  const picture = await clientOf(ada).get("/pfp/{url_id}");
  expect(picture).toMatchObject({ type: "image/webp", size: bytes });
  expect(await picture.slice(8, 12).text()).toBe("WEBP");
});
