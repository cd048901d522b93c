/** Sessions as callers see them: `me` in paths, GET /session/me, registration with login, and the cookie of browsers. */
import { beforeEach, describe, expect, it } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { keys, logsList } from "../../lib/store/keys.ts";
import { subscriptionsOf } from "../../lib/store/subscriptions.ts";
import { type RequestOptions, type Result, type Someone, testEnvironment } from "../support/service.ts";
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

const PASSWORD = "correct horse battery";

const bearer = ({ token }: Pick<Someone, "token">): Record<string, string> => ({
  authorization: `Bearer ${token}`,
});

const sessionsOf = async (id: string) => (await s.store.sessions(id))?.sessions ?? [];

const register = (more: Record<string, unknown>, options: RequestOptions = {}): Promise<Result> =>
  s.call("POST /new", { ...options, body: { alias: "Ada", password: PASSWORD, ...more } });

const session = (headers: Record<string, string>): Promise<Result> => s.call("GET /session/me", { headers });

describe("me, as the id in a path,", () => {
  it("is the player of the token, in reads, commands and retries", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    const me = { as: ada, id: "me" };
    for (const route of ["GET /player/{url_id}", "GET /interactions/{url_id}", "GET /users/{url_id}"]) {
      expect((await s.call(route, me)).text).toBe((await s.call(route, { as: ada })).text);
    }
    const hunt = { body: { tag_code: ben.code }, key: "once" };
    const first = await s.must("POST /zombie/hunt/{url_id}", { ...me, ...hunt });
    for (const id of ["me", ada.id]) {
      const again = await s.call("POST /zombie/hunt/{url_id}", { as: ada, id, ...hunt });
      expect(again).toMatchObject({ status: 200, text: first.text });
    }
    expect(await s.see(ada)).toMatchObject({ kills: 1 });
  });
});

describe("GET /session/me", () => {
  it.each([
    ["a player", false, { role: "player", is_admin: false }, 7 * DAY, 30 * DAY, DAY],
    ["an administrator", true, { role: "game_master", is_admin: true }, 12 * HOUR, 7 * DAY, HOUR],
  ])("says who %s is, and both ends of the session", async (_, isAdmin, role, idle, age, recordEvery) => {
    const as = isAdmin ? await s.admin() : await s.join("Ada");
    const [{ created_at: opened = 0 } = {}] = (await sessionsOf(as.id)).slice(-1);
    const ends = async (used: number) => {
      const { body } = await s.must("GET /session/me", { as });
      const until = Math.min(used + idle, opened + age);
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
    const recording = await s.must("GET /session/me", { as });
    const [{ last_used = 0 } = {}] = (await sessionsOf(as.id)).slice(-1);
    const until = new Date(Math.min(last_used + idle, opened + age)).toISOString();
    expect(recording.body.idle_expires_at).toBe(until);
    expect(last_used).toBeGreaterThanOrEqual(opened + recordEvery);
    await ends(last_used);
    // The idle end is never after the absolute one.
    const stored = (await sessionsOf(as.id)).map((one) => ({ ...one, last_used: opened + age - HOUR }));
    await s.store.db.put({ ...keys.sessions(as.id), rev: 9, sessions: stored });
    passed = age - HOUR + 20_000;
    await ends(opened + age);
  });
});

describe("a registration with login", () => {
  it("answers what a login does, with one hash, and the device is known", async () => {
    hashes = 0;
    const made = await register({ login: true });
    expect(hashes).toBe(1);
    expect(made).toMatchObject({ status: 201, body: { alias: "Ada", state: "human", token_type: "Bearer" } });
    const { player_id: id, token, device_token, expires_at } = made.body;
    expect((await session(bearer({ token }))).body).toMatchObject({ player_id: id, expires_at });
    const again = await s.must("POST /login", { body: { alias: "Ada", password: PASSWORD, device_token } });
    expect(again.body.device_token).toBe(device_token);
    const { items } = await s.store.db.query({ pk: logsList(0) }, 10);
    expect(items).toMatchObject(["login", "login"].map((action) => ({ action, actor: id, outcome: "done" })));
  });

  it("opens no session without it", async () => {
    for (const [n, more] of [{}, { login: false }].entries()) {
      const { body } = await register({ alias: `Ada ${n}`, ...more });
      expect(body).not.toHaveProperty("token");
      expect(await sessionsOf(body.player_id)).toEqual([]);
    }
  });

  it("opens another session when it is repeated, because the first response may be lost", async () => {
    const first = await register({ login: true }, { key: "once" });
    const again = await register({ login: true }, { key: "once" });
    expect(again).toMatchObject({ status: 201, body: { player_id: first.body.player_id } });
    expect(again.body.token).not.toBe(first.body.token);
    for (const { body } of [first, again]) expect((await session(bearer(body))).status).toBe(200);
    const other = await register({ login: true, password: "another horse" }, { key: "once" });
    expect(other).toMatchObject({ status: 422, body: { code: "key_reused" } });
    expect(await sessionsOf(first.body.player_id)).toHaveLength(2);
  });
});

describe("the cookie of a browser's session", () => {
  const HERE = { "sec-fetch-site": "same-origin" };
  const host = "game.example";

  /** Logs Ada in, and gives the cookie as the browser sends it back. */
  const open = async (): Promise<{ cookie: string; token: string }> => {
    const { headers, body } = await s.must("POST /login", {
      body: { alias: "Ada", password: PASSWORD, cookie: true },
      headers: HERE,
    });
    const [cookie = "", ...attributes] = (headers["set-cookie"] ?? "").split("; ");
    expect(cookie).toBe(`__Host-session=${body.token}`);
    expect(attributes.toSorted()).toEqual([
      "HttpOnly",
      `Max-Age=${(30 * DAY) / 1_000}`,
      "Path=/",
      "SameSite=Strict",
      "Secure",
    ]);
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
    const made = await register({ alias: "Ben", login: true, cookie: true });
    expect(made.headers["set-cookie"]).toContain(`__Host-session=${made.body.token}; `);
    for (const more of [{}, { login: false }]) {
      const alone = await register({ alias: "Cid", cookie: true, email: 5, ...more });
      expect(alone.status).toBe(400);
      expect(alone.body.errors.map(({ path }: { path: string }) => path)).toEqual(["email", "cookie"]);
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
    const edited = await s.call("POST /edit_player/{url_id}", {
      id: "me",
      headers: { host, cookie, ...headers },
      body: { first_name: "Ann" },
    });
    expect(edited.status).toBe(status);
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
  ])("cannot be set by a page of another origin: %o", async (headers) => {
    const ada = await s.join("Ada");
    const before = await sessionsOf(ada.id);
    const body = { alias: "Ada", password: PASSWORD, cookie: true };
    const refused = await s.call("POST /login", { body, headers: { host, ...headers } });
    expect(refused).toMatchObject({ status: 400, body: { errors: [{ path: "cookie" }] } });
    expect(refused.headers).not.toHaveProperty("set-cookie");
    expect(await sessionsOf(ada.id)).toEqual(before);
    const registered = await s.call("POST /new", {
      body: { ...body, alias: "Ben", login: true },
      headers: { host, ...headers },
    });
    expect(registered.status).toBe(400);
  });
});

describe("unsubscribing with an endpoint", () => {
  const at = (path: string): string => `https://fcm.googleapis.com/fcm/send/${path}`;
  const subscribed = async (as: Someone, path: string): Promise<void> => {
    const { p256dh, auth } = makeBrowser();
    const body = { endpoint: at(path), p256dh, auth };
    await s.must("POST /notifications/subscribe/{url_id}", { as, body });
  };
  const unsubscribe = (as: Someone, query: Record<string, string>): Promise<Result> =>
    s.call("DELETE /subscriptions/unsubscribe/{url_id}", { as, query });
  const own = async ({ id }: Someone): Promise<string[]> =>
    (await subscriptionsOf(s.store.db, id)).map(({ endpoint }) => endpoint).toSorted();

  it("removes that device alone, of the caller alone, however the URL is spelt", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    for (const path of ["phone", "laptop"]) await subscribed(ada, path);
    await subscribed(ben, "ben");
    for (const [endpoint, kept] of [
      [at("ben"), ["laptop", "phone"]],
      [at("nowhere"), ["laptop", "phone"]],
      [at("phone").replace("https://fcm", "HTTPS://FCM"), ["laptop"]],
      [at("phone"), ["laptop"]],
    ] as const) {
      expect(await unsubscribe(ada, { endpoint })).toMatchObject({ status: 204, text: "" });
      expect(await own(ada), endpoint).toEqual(kept.map(at));
    }
    for (const endpoint of ["", "phone"]) expect((await unsubscribe(ada, { endpoint })).status).toBe(400);
    await subscribed(ada, "tablet");
    expect((await unsubscribe(ada, {})).status).toBe(204);
    expect([await own(ada), await own(ben)]).toEqual([[], [at("ben")]]);
  });
});
