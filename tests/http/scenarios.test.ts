/** Scenarios that only HTTP can show: headers, bodies, statuses, retries and the work that goes on after a response. */
import { expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { expectSecurityHeaders } from "../contract/support.ts";
import { honest } from "../support/pictures.ts";
import { status, trustedPushService } from "../support/pushService.ts";
import { type RequestOptions, type Result, testEnvironment } from "../support/service.ts";
import { makeBrowser, readVapid } from "../support/webPush.ts";

const push = trustedPushService();
const s = testEnvironment();

const PASSWORD = "correct horse battery";
const PROBLEM = "application/problem+json; charset=utf-8";

it("plays a game from registration to the family tree", async () => {
  const gm = await s.admin();
  const ada = await s.join("Ada");
  const ben = await s.join("Ben");
  const cleo = await s.join("Cléo");
  expect(await s.see(ada)).toMatchObject({ alias: "Ada", state: "human", tag_code: ada.code, kills: 0 });

  await s.outbreak(gm, ada);
  expect(await s.see(ada)).toMatchObject({ state: "zombie", tag_code: null, infected_by: null });

  await s.pass(HOUR);
  const tag = await s.hunt(ada, ben, { note: "by the library" });
  expect(tag.status).toBe(200);
  expect(tag.body.hunter.kills).toBe(1);
  expect(tag.body.prey).toEqual({ alias: "Ben", state: "zombie" });
  expect(tag.body.interaction).toMatchObject({
    kind: "hunt",
    actor: "Ada",
    target: "Ben",
    details: { note: "by the library", shared_with: [] },
  });
  expect(await s.see(ben)).toMatchObject({ state: "zombie", infected_by: "Ada", kills: 0 });
  expect((await s.hunt(ben, cleo)).status).toBe(200);

  const tree = await s.call("GET /interactions/tree/{url_id}", { as: cleo });
  expect(tree.body).toMatchObject({
    size: 3,
    truncated: false,
    roots: [
      { alias: "Ada", kills: 1, children: [{ alias: "Ben", children: [{ alias: "Cléo", children: [] }] }] },
    ],
  });

  const board = await s.call("GET /interactions/leaderboard/{url_id}", { as: cleo });
  expect(board.body.players.map(({ rank, alias }: { rank: number; alias: string }) => [rank, alias])).toEqual(
    [
      [1, "Ada"],
      [2, "Ben"],
      [3, "Cléo"],
    ],
  );

  const cured = await s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "ben" } });
  expect(cured.body.player).toMatchObject({
    state: "human",
    kills: 1,
    infected_at: null,
    starves_at: null,
  });
  expect(cured.body.player.tag_code).not.toBe(ben.code);

  await s.pass(48 * HOUR);
  expect((await s.see(ada)).state).toBe("corpse");
  const counts = { total: 4, humans: 1, zombies: 0, corpses: 2, spectators: 1 };
  expect((await s.call("GET /admin/player_count/{url_id}", { as: gm })).body).toEqual(counts);
  expect(await s.sweep()).toEqual({ starved: 2, warned: 0, complete: true });
  expect((await s.call("GET /admin/player_count/{url_id}", { as: gm })).body).toEqual(counts);

  const told = await s.call("GET /interactions/{url_id}", { as: cleo });
  const kinds = told.body.interactions.map(({ kind }: { kind: string }) => kind);
  expect(kinds.slice(0, 2)).toEqual(["starve", "starve"]);
  expect(kinds.slice(2)).toEqual(["cure", "hunt", "hunt", "revive_zombie", "corpsify"]);
});

it("answers each status with its headers and a body of its own type", async () => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  const login = { alias: "Ada", password: PASSWORD };
  const large = { body: "x".repeat(70_000), type: "application/json" };
  const feed = (n: number): RequestOptions => ({ as: gm, body: { n }, key: "feed" });
  expect((await s.call("POST /admin/feed/{url_id}", feed(1))).status).toBe(200);
  const cases: [route: string, options: RequestOptions, status: number, type: string][] = [
    ["GET /health", {}, 200, "application/json; charset=utf-8"],
    ["POST /new", { body: { ...login, alias: "Ben" } }, 201, "application/json; charset=utf-8"],
    ["POST /get_player/{url_id}", { as: ada, body: {} }, 400, PROBLEM],
    ["POST /notifications/subscribe/{url_id}", { as: ada, body: {} }, 400, "text/plain; charset=utf-8"],
    ["GET /admin/player_count/{url_id}", { as: ada }, 401, PROBLEM],
    ["GET /player/{url_id}", { id: ada.id }, 403, PROBLEM],
    ["GET /pfp/{url_id}", { as: ada }, 404, PROBLEM],
    ["POST /new", { body: login }, 409, PROBLEM],
    ["POST /login", { raw: large }, 413, PROBLEM],
    ["POST /login", { raw: { body: "alias=Ada", type: "text/plain" } }, 415, PROBLEM],
    ["POST /admin/feed/{url_id}", feed(2), 422, PROBLEM],
  ];
  for (const [route, options, expected, type] of cases) {
    const result = await s.call(route, options);
    expect(result.status, `${route}: ${result.text}`).toBe(expected);
    expect(result.headers["content-type"], route).toBe(type);
    expect(result.headers["x-request-id"], route).toMatch(/./);
    expectSecurityHeaders(result, route);
  }
  const empty = await s.call("DELETE /subscriptions/unsubscribe/{url_id}", { as: ada });
  expect(empty).toMatchObject({ status: 204, text: "" });
  let guess: Result;
  do guess = await s.call("POST /login", { body: { ...login, password: "not the password" } });
  while (guess.status === 401);
  expect(guess).toMatchObject({ status: 429, body: { code: "too_many_attempts" } });
  expect(Number(guess.headers["retry-after"])).toBeGreaterThan(0);
});

it("carries out a request once, however often and however concurrently it is sent with its key", async () => {
  const register = (key?: string): Promise<Result> => {
    const body = { alias: "Ada", password: PASSWORD };
    return s.call("POST /new", key === undefined ? { body } : { body, key });
  };
  const results = await Promise.all(Array.from({ length: 50 }, () => register("registration")));
  expect(new Set(results.map(({ status: is }) => is))).toEqual(new Set([201]));
  expect(new Set(results.map(({ text }) => text)).size).toBe(1);
  expect(await register()).toMatchObject({ status: 409, body: { code: "alias_taken" } });
});

it("sends a response again only when it has changed", async () => {
  const [, zed, ann] = await s.game("Zed", "Ann");
  const read = (etag?: string) =>
    s.call("GET /users/{url_id}", { as: ann, headers: etag === undefined ? {} : { "if-none-match": etag } });
  const { etag = "" } = (await read()).headers;
  expect(await read(etag)).toMatchObject({ status: 304, text: "", headers: { etag } });
  await s.hunt(zed, ann);
  expect((await read(etag)).status).toBe(200);
});

it("takes a picture as bytes and in base64, and sends it as bytes", async () => {
  const ada = await s.join("Ada");
  const file = await honest.png();
  const asBytes = { raw: { body: file, type: "application/octet-stream" } };
  const set = await s.call("POST /set_pfp/{url_id}", { as: ada, ...asBytes });
  expect(set.status, set.text).toBe(200);
  const inJson = { body: { image: file.toString("base64") } };
  expect((await s.call("POST /set_pfp/{url_id}", { as: ada, ...inJson })).body).toEqual(set.body);
  const own = await s.call("GET /pfp/{url_id}", { as: ada });
  expect(own.headers).toMatchObject({ "content-type": "image/webp", etag: set.body.etag });
  expect(own.bytes).toHaveLength(set.body.bytes);
  expect(own.bytes.toString("latin1", 8, 12)).toBe("WEBP");
  const known = await s.call("GET /pfp/{url_id}", { as: ada, headers: { "if-none-match": set.body.etag } });
  expect(known).toMatchObject({ status: 304, text: "" });
});

it("delivers a game event and a notification after its response, on retry where a push service is busy", async () => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  const browser = makeBrowser();
  const { p256dh, auth } = browser;
  const body = { endpoint: `${push.current().origin}/ada`, p256dh, auth };
  expect((await s.call("POST /notifications/subscribe/{url_id}", { as: ada, body })).status).toBe(200);
  let calls = 0;
  push.current().answer("/ada", (response) => {
    calls += 1;
    status(calls > 1 ? 201 : 429, calls > 1 ? {} : { "retry-after": "1" })(response);
  });
  const news = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };
  const sent = await s.call("POST /notifications/send/{url_id}", { as: gm, body: news });
  expect(sent.body, sent.text).toMatchObject({ subscriptions: 1, sent: 0, queued: 1 });
  expect((await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Ada" } })).status).toBe(
    200,
  );
  await s.work();
  const messages = push.current().received("/ada");
  const titles = messages.map((message) => JSON.parse(browser.decrypt(message.body)).notification.title);
  expect(titles.toSorted()).toEqual(["Curfew", "Curfew", "You were killed"]);
  expect(readVapid(messages[0]?.headers.authorization?.toString()).claims).toMatchObject({
    aud: push.current().origin,
  });
  const query = { notification_id: sent.body.notification.notification_id };
  const { body: state } = await s.call("GET /notifications/status/{url_id}", { as: gm, query });
  expect(state).toMatchObject({ sent: 1, failed: 0, queued: 0, complete: true });
});
