/** Sessions as callers see them: `me` in paths, GET /session/me, registration with login, and the cookie of browsers. */
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { keys, logsList } from "../../lib/store/keys.ts";
import { subscriptionsOf } from "../../lib/store/subscriptions.ts";
import { type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { makeBrowser } from "../support/webPush.ts";

/** Counts the hashes of passwords: each copies the parameters of its cost. */
let hashes = 0;
const counted = <T extends object>(cost: T): T =>
  new Proxy(cost, {
    ownKeys(target) {
      hashes += 1;
      return Reflect.ownKeys(target);
    },
  });

let passed = 0;
const s = testEnvironment({
  services: (usual) => ({ clock: () => usual.clock() + passed, cost: counted(usual.cost) }),
});

beforeEach(() => {
  passed = 0;
});

const { register } = shortRequests(s);

const PASSWORD = "correct horse battery";

const bearer = ({ token }: Pick<TestPlayer, "token">): Record<string, string> => ({
  authorization: `Bearer ${token}`,
});

const sessionsOf = async (id: string) => (await s.store.sessions(id))?.sessions ?? [];

const session = (headers: Record<string, string>): Promise<Result> => s.call("GET /session/me", { headers });

it("me, as the id in a path, is the player of the token, in reads, commands and retries", async () => {
  const [, ada, ben] = await s.game("Ada", "Ben");
  const me = { as: ada, id: "me" };
  for (const route of ["GET /player/{url_id}", "GET /interactions/{url_id}", "GET /users/{url_id}"]) {
    expect((await s.call(route, me)).text).toBe((await s.call(route, { as: ada })).text);
  }
  const hunt = { as: ada, body: { tag_code: ben.code }, key: "once" };
  const { text } = await s.must("POST /zombie/hunt/{url_id}", { ...hunt, id: "me" });
  for (const id of ["me", ada.id])
    expect(await s.call("POST /zombie/hunt/{url_id}", { ...hunt, id })).toMatchObject({ status: 200, text });
  expect(await s.see(ada)).toMatchObject({ kills: 1 });
});

it.each([
  ["a player", false, { role: "player", is_admin: false }, 7 * DAY, 30 * DAY, DAY],
  ["an administrator", true, { role: "game_master", is_admin: true }, 12 * HOUR, 7 * DAY, HOUR],
])(
  "GET /session/me says who %s is, and both ends of the session",
  async (_, isAdmin, role, idle, age, recordEvery) => {
    const as = isAdmin ? await s.admin() : await s.join("Ada");
    const newest = async () => (await sessionsOf(as.id)).at(-1);
    const opened = (await newest())?.created_at ?? 0;
    const ends = async (used?: number) => {
      const { body } = await s.must("GET /session/me", { as });
      const until = Math.min((used ?? (await newest())?.last_used ?? 0) + idle, opened + age);
      expect(body).toEqual({
        ...{ player_id: as.id, alias: as.alias, ...role },
        idle_expires_at: new Date(until).toISOString(),
        expires_at: new Date(opened + age).toISOString(),
      });
    };
    await ends(opened);
    // The last use is stored only now and then, and only what is stored counts.
    passed = recordEvery - 10_000;
    await ends(opened);
    passed = recordEvery + 10_000;
    await ends();
    expect((await newest())?.last_used).toBeGreaterThanOrEqual(opened + recordEvery);
    // The idle end is never after the absolute one.
    const stored = (await sessionsOf(as.id)).map((one) => ({ ...one, last_used: opened + age - HOUR }));
    await s.store.db.put({ ...keys.sessions(as.id), rev: 9, sessions: stored });
    passed = age - HOUR + 20_000;
    await ends(opened + age);
  },
);

describe("a registration with login", () => {
  it("answers what a login does, with one hash, and the device is known", async () => {
    hashes = 0;
    const made = await register("Ada", { login: true });
    expect(hashes).toBe(1);
    expect(made).toMatchObject({ status: 201, body: { alias: "Ada", state: "human", token_type: "Bearer" } });
    const { player_id: id, token, device_token, expires_at } = made.body;
    expect((await session(bearer({ token }))).body).toMatchObject({ player_id: id, expires_at });
    const again = await s.must("POST /login", { body: { alias: "Ada", password: PASSWORD, device_token } });
    expect(again.body.device_token).toBe(device_token);
    const { items } = await s.store.db.query({ pk: logsList(0) }, 10);
    expect(items).toMatchObject(["login", "login"].map((action) => ({ action, actor: id, outcome: "done" })));
  });

  it("opens another session when it is repeated, because the first response may be lost, and none without it", async () => {
    const once = (more = {}) => register("Ada", { login: true, ...more }, { key: "once" });
    const [first, again] = [(await once()).body, (await once()).body];
    expect(again).toMatchObject({ player_id: first.player_id });
    expect(again.token).not.toBe(first.token);
    for (const body of [first, again]) expect((await session(bearer(body))).status).toBe(200);
    const other = await once({ password: "another horse" });
    expect(other).toMatchObject({ status: 422, body: { code: "key_reused" } });
    expect(await sessionsOf(first.player_id)).toHaveLength(2);
    const { body } = await register("Ben", { login: false });
    expect(body).not.toHaveProperty("token");
    expect(await sessionsOf(body.player_id)).toEqual([]);
  });
});

describe("the cookie of a browser's session", () => {
  const HERE = { "sec-fetch-site": "same-origin" };
  const host = "game.example";

  /** Logs Ada in, and gives the cookie as the browser sends it back. */
  const open = async (): Promise<{ cookie: string; token: string }> => {
    const login = { alias: "Ada", password: PASSWORD, cookie: true };
    const { headers, body } = await s.must("POST /login", { body: login, headers: HERE });
    const [cookie = "", ...attributes] = (headers["set-cookie"] ?? "").split("; ");
    expect(cookie).toBe(`__Host-session=${body.token}`);
    const age = `Max-Age=${(30 * DAY) / 1_000}`;
    expect(attributes.toSorted()).toEqual(["HttpOnly", age, "Path=/", "SameSite=Strict", "Secure"]);
    return { cookie, token: body.token };
  };

  it("is set only where the request asks for it", async () => {
    await s.join("Ada");
    const { cookie } = await open();
    expect((await session({ cookie, ...HERE })).status).toBe(200);
    const login = { alias: "Ada", password: PASSWORD };
    for (const body of [login, { ...login, cookie: false }]) {
      expect((await s.must("POST /login", { body })).headers).not.toHaveProperty("set-cookie");
    }
    const made = await register("Ben", { login: true, cookie: true });
    expect(made.headers["set-cookie"]).toContain(`__Host-session=${made.body.token}; `);
    for (const more of [{}, { login: false }]) {
      const { body } = await register("Cid", { cookie: true, email: 5, ...more });
      expect(body.errors).toMatchObject([{ path: "email" }, { path: "cookie" }]);
    }
  });

  it.each<[string, number, Record<string, string>]>([
    ["the same origin by Sec-Fetch-Site", 200, HERE],
    ["the same origin by Sec-Fetch-Site, behind a proxy", 200, { ...HERE, origin: "https://club.example" }],
    ["the same origin by Origin", 200, { origin: `https://${host}` }],
    ["this machine", 200, { host: "localhost:3000", origin: "http://localhost:3000" }],
    ["this machine by its address", 200, { host: "127.0.0.1:3000", origin: "http://127.0.0.1:3000" }],
    ["nobody says where", 403, {}],
    ["another port of this machine", 403, { host: "localhost:3000", origin: "http://localhost:3001" }],
    ["a page without TLS", 403, { origin: `http://${host}` }],
    ["another origin", 403, { origin: "https://evil.example" }],
    ["an origin that begins alike", 403, { origin: `https://${host}.evil.example` }],
    ["a page that hides its origin", 403, { origin: "null" }],
    ["another site", 403, { "sec-fetch-site": "cross-site" }],
    ["a sibling domain", 403, { "sec-fetch-site": "same-site", origin: `https://${host}` }],
    ["an address that was typed", 403, { "sec-fetch-site": "none" }],
    ["two origins", 403, { "sec-fetch-site": "same-origin, cross-site" }],
  ])("counts, or not, when it comes from %s: %i", async (_, status, headers) => {
    await s.join("Ada");
    const { cookie } = await open();
    expect((await session({ host, cookie, ...headers })).status).toBe(status);
    const edit = { id: "me", headers: { host, cookie, ...headers }, body: { first_name: "Ann" } };
    expect((await s.call("POST /edit_player/{url_id}", edit)).status).toBe(status);
  });

  it("is found among others, and is none when it is malformed or given twice", async () => {
    await s.join("Ada");
    const { cookie } = await open();
    for (const [all, status] of [
      [`theme=dark; ${cookie}; x=__Host-session=1`, 200],
      [`${cookie}; ${cookie}`, 403],
      [`${cookie}x`, 403],
      ["__Host-session=", 403],
      [cookie.replace("__Host-", ""), 403],
      [cookie.toUpperCase(), 403],
    ] as const) {
      expect((await session({ cookie: all, ...HERE })).status, all).toBe(status);
    }
  });

  it("yields to a bearer token, also when the cookie is invalid or another player's", async () => {
    await s.join("Ada");
    const ben = await s.join("Ben");
    const { cookie } = await open();
    for (const one of [cookie, "__Host-session=x", `${cookie}; ${cookie}`]) {
      expect((await session({ cookie: one, ...bearer(ben), ...HERE })).body).toMatchObject({ alias: "Ben" });
    }
    // A bearer token that does not count is not replaced by the cookie.
    for (const authorization of ["", "Bearer x", `Bearer ${ben.token}, Bearer ${ben.token}`]) {
      expect((await session({ cookie, authorization, ...HERE })).status).toBe(403);
    }
  });

  it("is cleared by a logout, which ends the session of the token that counts", async () => {
    const ada = await s.join("Ada");
    const logout = (headers: Record<string, string>) => s.call("POST /logout", { headers });
    const { cookie, token } = await open();
    const cleared = /^__Host-session=; Max-Age=0; Path=\/; Secure; HttpOnly; SameSite=Strict$/;

    const crossSite = await logout({ cookie, "sec-fetch-site": "cross-site" });
    expect(crossSite.status).toBe(403);
    expect(crossSite.headers).not.toHaveProperty("set-cookie");
    expect((await logout(bearer(ada))).headers).not.toHaveProperty("set-cookie");
    expect((await session(bearer({ token }))).status).toBe(200);

    const out = await logout({ cookie, ...HERE });
    expect(out).toMatchObject({ status: 204, text: "" });
    expect(out.headers["set-cookie"]).toMatch(cleared);
    expect((await session(bearer({ token }))).status).toBe(403);

    const ben = await s.join("Ben");
    const both = await logout({ cookie, ...bearer(ben), ...HERE });
    expect(both.headers["set-cookie"]).toMatch(cleared);
    expect((await session(bearer(ben))).status).toBe(403);
  });

  it.each([
    { origin: "https://evil.example" },
    { origin: "null" },
    { "sec-fetch-site": "same-site" },
    { "sec-fetch-site": "cross-site" },
  ])("cannot be set by a page of another origin: %o", async (more) => {
    const ada = await s.join("Ada");
    const before = await sessionsOf(ada.id);
    const [body, headers] = [
      { alias: "Ada", password: PASSWORD, cookie: true },
      { host, ...more },
    ];
    const refused = await s.call("POST /login", { body, headers });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "cookie" }] } });
    expect(refused.headers).not.toHaveProperty("set-cookie");
    expect(await sessionsOf(ada.id)).toEqual(before);
    expect((await register("Ben", { cookie: true, login: true }, { headers })).status).toBe(400);
  });
});

it("unsubscribing with an endpoint removes that device alone, of the caller alone, however the URL is spelt", async () => {
  const at = (path: string): string => `https://fcm.googleapis.com/fcm/send/${path}`;
  const subscribed = async (as: TestPlayer, path: string): Promise<void> => {
    const { p256dh, auth } = makeBrowser();
    const body = { endpoint: at(path), p256dh, auth };
    await s.must("POST /notifications/subscribe/{url_id}", { as, body });
  };
  const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
  const unsubscribe = async (query: Record<string, string>): Promise<number> =>
    (await s.call("DELETE /subscriptions/unsubscribe/{url_id}", { as: ada, query })).status;
  const own = async ({ id }: TestPlayer): Promise<string[]> =>
    (await subscriptionsOf(s.store.db, id)).map(({ endpoint }) => endpoint).toSorted();
  for (const path of ["phone", "laptop"]) await subscribed(ada, path);
  await subscribed(ben, "ben");
  for (const [endpoint, kept] of [
    [at("ben"), ["laptop", "phone"]],
    [at("nowhere"), ["laptop", "phone"]],
    [at("phone").replace("https://fcm", "HTTPS://FCM"), ["laptop"]],
    [at("phone"), ["laptop"]],
  ] as const) {
    expect(await unsubscribe({ endpoint })).toBe(204);
    expect(await own(ada), endpoint).toEqual(kept.map(at));
  }
  for (const endpoint of ["", "phone"]) expect(await unsubscribe({ endpoint })).toBe(400);
  await subscribed(ada, "tablet");
  expect(await unsubscribe({})).toBe(204);
  expect([await own(ada), await own(ben)]).toEqual([[], [at("ben")]]);
});
