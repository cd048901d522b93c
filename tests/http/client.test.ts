/** The client of client/: its types, its retries and errors, and the bot of its examples. */
import { expect, inject, it } from "vitest";
import { playZombie } from "../../client/examples/bot.ts";
import { GameClient, GameError } from "../../client/src/index.ts";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const clientOf = (token?: string) =>
  new GameClient({ baseUrl: inject("base"), ...(token === undefined ? {} : { token }) });

it("plays a game: registration, a hunt, pages of players, and a picture", async () => {
  const gm = clientOf((await s.admin()).token);
  const register = async (alias: string) => {
    const body = { alias, password: "correct horse battery", login: true };
    const { token = "", tag_code } = await clientOf().post("/new", { body });
    return { game: clientOf(token), tag_code: tag_code ?? "" };
  };
  const [zed, ada] = [await register("Zed"), await register("Ada")];
  await gm.post("/admin/corpsify/{url_id}", { body: { alias: "Zed" } });
  await gm.post("/admin/revive_z/{url_id}", { body: { alias: "Zed", reason: "An outbreak." } });
  const { prey } = await zed.game.post("/zombie/hunt/{url_id}", { body: { tag_code: ada.tag_code } });
  expect(prey).toEqual({ alias: "Ada", state: "zombie" });
  const aliases: string[] = [];
  for await (const { users } of ada.game.pages("/users/{url_id}", { query: { limit: 1 } })) {
    aliases.push(...users.map(({ alias }) => alias));
  }
  expect(aliases).toEqual(["Ada", "Game Master", "Zed"]);
  const again = ada.game.post("/zombie/hunt/{url_id}", { body: { tag_code: ada.tag_code } });
  await expect(again).rejects.toMatchObject({ status: 409, code: "already_tagged" });
  const [missing, invalid] = await Promise.allSettled([
    ada.game.get("/pfp/{url_id}"),
    ada.game.post("/edit_player/{url_id}", { body: { email: "nonsense" } }),
  ]);
  expect(missing).toMatchObject({ reason: { code: "no_picture", requestId: expect.any(String) } });
  expect(invalid).toMatchObject({ reason: { errors: [{ path: "email", code: "invalid" }] } });
  const live = await ada.game.get("/live/{url_id}", { revalidate: true });
  expect(live).toMatchObject({ player: { state: "zombie" }, seconds_left: expect.any(Number) });
  expect(await ada.game.get("/live/{url_id}", { revalidate: true })).toBe(live);
});

it("refuses at compile time what the service rejects", () => {
  const game = clientOf();
  const more = { tag_code: "K7QX2M9P", nonsense: 1 };
  // The calls are only compiled.
  const calls = () => [
    // @ts-expect-error an unknown key
    game.post("/zombie/hunt/{url_id}", { body: { tag_code: "K7QX2M9P", nonsense: 1 } }),
    // @ts-expect-error an unknown key of a variable
    game.post("/zombie/hunt/{url_id}", { body: more }),
    // @ts-expect-error an unknown key further down
    game.post("/admin/settings/{url_id}", { body: { join_codes: [{ code: "abcd", nonsense: 1 }] } }),
    // @ts-expect-error a missing field
    game.post("/zombie/hunt/{url_id}", { body: {} }),
    // @ts-expect-error a missing body
    game.post("/zombie/hunt/{url_id}"),
    // @ts-expect-error an unknown parameter
    game.get("/users/{url_id}", { query: { limits: 3 } }),
    // @ts-expect-error an unknown path
    game.get("/nonsense"),
  ];
  expect(calls).toBeTypeOf("function");
});

it("repeats with the same key after Retry-After, and reads the gateway's responses", async () => {
  const waits: number[] = [];
  const keys: (string | null)[] = [];
  const responses = [
    () => Response.json({ message: "Too Many Requests" }, { status: 429 }),
    () => Promise.reject(new TypeError("failed to fetch")),
    () => new Response("", { status: 503, headers: { "retry-after": "7", "x-request-id": "r" } }),
    () => Response.json({ paused: true, since: null }),
  ].values();
  const game = new GameClient({
    fetch: async (_url, { headers }) => {
      keys.push(new Headers(headers).get("idempotency-key"));
      return responses.next().value?.() ?? Response.json({ message: "Not Found" }, { status: 404 });
    },
    sleep: async (ms) => {
      waits.push(ms);
    },
  });
  expect(await game.post("/admin/pause_game/{url_id}")).toEqual({ paused: true, since: null });
  expect(new Set(keys).size).toBe(1);
  expect(waits).toHaveLength(3);
  expect(waits[2]).toBeGreaterThanOrEqual(7_000);
  expect(waits[2]).toBeLessThan(12_000);
  const lost = game.post("/admin/pause_game/{url_id}");
  await expect(lost).rejects.toMatchObject({ status: 404, code: "gateway", requestId: null });
  await expect(lost).rejects.toBeInstanceOf(GameError);
  expect(keys[4]).not.toBe(keys[0]);
});

it("runs the bot of the examples, which hunts and shares", async () => {
  const [, , ada] = await s.game("Bot", "Ada");
  const said: string[] = [];
  const codes = [ada.code ?? "", "ZZZZZZZZ"];
  const password = "correct horse battery";
  await playZombie({ baseUrl: inject("base"), alias: "Bot", password, codes }, (line) => said.push(line));
  expect(said[0]).toMatch(/^Tagged Ada: 1 so far, fed until 2/);
  expect(said[1]).toMatch(/\(unknown_tag_code\)$/);
  expect(said[2]).toBe("48 hours left.");
});
