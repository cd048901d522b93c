/** Scenarios that only HTTP can show: headers, bodies, statuses, retries and the work that goes on after a response. */
import { expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { expectSecurityHeaders } from "../contract/support.ts";
import { clientOf } from "../support/client.ts";
import { honest } from "../support/pictures.ts";
import { status, trustedPushService } from "../support/pushService.ts";
import { type RequestOptions, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { makeBrowser, readVapid } from "../support/webPush.ts";

const push = trustedPushService();
const s = testEnvironment();

const PASSWORD = "correct horse battery";
const PROBLEM = "application/problem+json; charset=utf-8";

it("plays a game from registration to the family tree", async () => {
  const [gm, ada, ben, cleo] = await s.game("Ada", "Ben", "Cléo");
  await s.pass(HOUR);
  const hunt = (hunter: TestPlayer, { code }: TestPlayer) =>
    clientOf(hunter).post("/zombie/hunt/{url_id}", { body: { tag_code: code ?? "", note: "outside" } });
  const tag = { hunter: { kills: 1 }, prey: { alias: "Ben", state: "zombie" } };
  expect(await hunt(ada, ben)).toMatchObject(tag);
  await hunt(ben, cleo);
  await expect(hunt(ada, ben)).rejects.toMatchObject({ status: 409, code: "already_tagged" });
  const viewer = clientOf(cleo);
  const branch = { alias: "Ben", children: [{ alias: "Cléo", children: [] }] };
  const tree = await viewer.get("/interactions/tree/{url_id}");
  expect(tree).toMatchObject({ size: 3, roots: [{ alias: "Ada", kills: 1, children: [branch] }] });
  const aliases: string[] = [];
  for await (const { users } of viewer.pages("/users/{url_id}", { query: { limit: 1 } })) {
    aliases.push(...users.map(({ alias }) => alias));
  }
  expect(aliases).toEqual(["Ada", "Ben", "Cléo", "Game Master"]);
  const invalid = viewer.post("/edit_player/{url_id}", { body: { email: "nonsense" } });
  await expect(invalid).rejects.toMatchObject({
    ...{ errors: [{ path: "email", code: "invalid" }], requestId: expect.any(String) },
  });
  const { player } = await clientOf(gm).post("/admin/cure/{url_id}", { body: { alias: "ben" } });
  expect(player).toMatchObject({ state: "human", kills: 1, starves_at: null });

  await s.pass(48 * HOUR);
  const counts = { total: 4, humans: 1, zombies: 0, corpses: 2, spectators: 1 };
  expect(await clientOf(gm).get("/admin/player_count/{url_id}")).toEqual(counts);
  expect(await s.sweep()).toEqual({ starved: 2, warned: 0, complete: true });
  const { interactions } = await viewer.get("/interactions/{url_id}");
  const kinds = interactions.map(({ kind }) => kind);
  expect(kinds).toEqual(["starve", "starve", "cure", "hunt", "hunt", "revive_zombie", "corpsify"]);
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

it("carries out a request once, however concurrently it is sent with its key", async () => {
  const body = { alias: "Ada", password: PASSWORD };
  const send = () => clientOf().post("/new", { body, key: "registration" });
  const [first, ...others] = await Promise.all(Array.from({ length: 20 }, send));
  for (const other of others) expect(other).toEqual(first);
});

it("takes a picture as bytes and in base64, and sends it as bytes", async () => {
  const ada = await s.join("Ada");
  const file = await honest.png();
  const asBytes = { raw: { body: file, type: "application/octet-stream" } };
  const set = await s.call("POST /set_pfp/{url_id}", { as: ada, ...asBytes });
  expect(set.status, set.text).toBe(200);
  const game = clientOf(ada);
  const inJson = { body: { image: file.toString("base64") } };
  expect(await game.post("/set_pfp/{url_id}", inJson)).toEqual(set.body);
  const own = await game.get("/pfp/{url_id}");
  expect([own.type, own.size, await own.slice(8, 12).text()]).toEqual(["image/webp", set.body.bytes, "WEBP"]);
  const { picture_url } = await game.get("/player/{url_id}");
  const path = { picture_id: picture_url?.split("/").at(-1) ?? "" };
  const shown = await clientOf().get("/pictures/{picture_id}", { path });
  expect(await shown.text()).toBe(await own.text());
  const known = await s.call("GET /pfp/{url_id}", { as: ada, headers: { "if-none-match": set.body.etag } });
  expect(known).toMatchObject({ status: 304, text: "" });
});

it("delivers a game event and a notification after its response, on retry where a push service is busy", async () => {
  const [gm, ada] = [clientOf(await s.admin()), clientOf(await s.join("Ada"))];
  const browser = makeBrowser();
  const { p256dh, auth } = browser;
  const body = { endpoint: `${push.current().origin}/ada`, p256dh, auth };
  await ada.post("/notifications/subscribe/{url_id}", { body });
  let calls = 0;
  push.current().answer("/ada", (response) => {
    calls += 1;
    status(calls > 1 ? 201 : 429, calls > 1 ? {} : { "retry-after": "1" })(response);
  });
  const news = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };
  const sent = await gm.post("/notifications/send/{url_id}", { body: news });
  expect(sent).toMatchObject({ subscriptions: 1, sent: 0, queued: 1 });
  await gm.post("/admin/corpsify/{url_id}", { body: { alias: "Ada" } });
  await s.work();
  const messages = push.current().received("/ada");
  const titles = messages.map((message) => JSON.parse(browser.decrypt(message.body)).notification.title);
  expect(titles.toSorted()).toEqual(["Curfew", "Curfew", "You were killed"]);
  expect(readVapid(messages[0]?.headers.authorization?.toString()).claims).toMatchObject({
    aud: push.current().origin,
  });
  const query = { notification_id: sent.notification.notification_id };
  const state = await gm.get("/notifications/status/{url_id}", { query });
  expect(state).toMatchObject({ sent: 1, failed: 0, queued: 0, complete: true });
});
