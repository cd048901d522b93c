/** Sessions as callers see them: `me` in paths, GET /session/me, registration with login, and the cookie of browsers. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { makeToken } from "../../lib/auth/token.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { readPresented } from "../../lib/http/sessionCookie.ts";
import { logsList } from "../../lib/store/keys.ts";
import { ENDPOINTS } from "../contract/endpoints.ts";
import { PASSWORD, type Result, type TestPlayer, testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment();
const { done, register } = shortRequests(s);

const bearer = ({ token }: Pick<TestPlayer, "token">): Record<string, string> => ({
  authorization: `Bearer ${token}`,
});

const sessionsOf = async (id: string) => (await s.store.sessions(id))?.sessions ?? [];

const session = (headers: Record<string, string>): Promise<Result> => s.call("GET /session/me", { headers });

it.each([
  ["a player", false, { role: "player", is_admin: false }, 7 * DAY, 30 * DAY, DAY],
  ["an administrator", true, { role: "game_master", is_admin: true }, 12 * HOUR, 7 * DAY, HOUR],
])(
  "GET /session/me returns the identity and role of %s, and both ends of the session",
  async (_, isAdmin, role, idle, age, every) => {
    const as = isAdmin ? await s.admin() : await s.join("Ada");
    const [{ created_at: opened } = { created_at: 0 }] = await sessionsOf(as.id);
    await s.login(as.alias, as.password);
    const expectEnds = async (used: number) =>
      expect((await s.must("GET /session/me", { as })).body).toEqual({
        ...{ player_id: as.id, alias: as.alias, ...role },
        idle_expires_at: rfc3339(used + idle),
        expires_at: rfc3339(opened + age),
      });
    // The last use is stored only now and then, and only what is stored counts.
    s.now += every - 10_000;
    await expectEnds(opened);
    s.now += 20_000;
    await session(bearer(as));
    const [used, unused] = await sessionsOf(as.id);
    expect(used?.last_used).toBeGreaterThan(opened + every);
    expect(unused?.last_used).toBeLessThan(opened + every);
    await expectEnds(used?.last_used ?? 0);
  },
);

describe("a registration with login", () => {
  it("returns what a login returns, and makes the device known", async () => {
    const made = await register("Ada", { login: true });
    expect(made).toMatchObject({ status: 201, body: { alias: "Ada", state: "human", token_type: "Bearer" } });
    const { player_id: id, token, device_token, expires_at } = made.body;
    expect((await session(bearer({ token }))).body).toMatchObject({ player_id: id, expires_at });
    const again = await s.must("POST /login", { body: { alias: "Ada", password: PASSWORD, device_token } });
    expect(again.body.device_token).toBe(device_token);
    const { items } = await s.store.db.query({ pk: logsList(0) }, 10);
    expect(items).toMatchObject(["login", "login"].map((action) => ({ action, actor: id, outcome: "done" })));
  });

  it("opens another session when it is repeated, because the first response may be lost; without `login` there is none", async () => {
    const once = (more = {}) => register("Ada", { login: true, ...more }, { key: "once" });
    const [first, again] = [(await once()).body, (await once()).body];
    expect(again).toMatchObject({ player_id: first.player_id });
    expect(again.token).not.toBe(first.token);
    for (const body of [first, again]) expect((await session(bearer(body))).status).toBe(200);
    const other = await once({ password: "another horse" });
    expect(other).toMatchObject({ status: 422, body: { code: "key_reused" } });
    const { items } = await s.store.db.query({ pk: logsList(0) }, 10);
    expect(items.map(({ outcome }) => outcome)).toEqual(["done", "done", "bad_credentials"]);
    expect(await sessionsOf(first.player_id)).toHaveLength(2);
    const { body } = await register("Ben", { login: false });
    expect(body).not.toHaveProperty("token");
    expect(await sessionsOf(body.player_id)).toEqual([]);
  });
});

describe("the cookie of a browser's session", () => {
  const HERE = { "sec-fetch-site": "same-origin" };
  const host = "game.example";
  const { token, playerId, hash } = makeToken(randomUUID());
  const cookie = `__Host-session=${token}`;

  it.each<[string, boolean | null, Record<string, string>]>([
    ["the same origin by Sec-Fetch-Site", true, HERE],
    ["the same origin by Sec-Fetch-Site, behind a proxy", true, { ...HERE, origin: "https://club.example" }],
    ["the same origin by Origin", true, { origin: `https://${host}` }],
    ["this machine", true, { host: "localhost:3000", origin: "http://localhost:3000" }],
    ["this machine by its address", true, { host: "127.0.0.1", origin: "http://127.0.0.1" }],
    ["a host that begins alike", false, { host: "localhost.evil", origin: "http://localhost.evil" }],
    ["a host that ends alike", false, { host: "evil.localhost", origin: "http://evil.localhost" }],
    ["an origin that no header names", null, {}],
    ["another port of this machine", false, { host: "localhost:3000", origin: "http://localhost:3001" }],
    ["a page without TLS", false, { origin: `http://${host}` }],
    ["another origin", false, { origin: "https://evil.example" }],
    ["an origin that begins alike", false, { origin: `https://${host}.evil.example` }],
    ["a page that hides its origin", false, { origin: "null" }],
    ["another site", false, { "sec-fetch-site": "cross-site" }],
    ["a sibling domain", false, { "sec-fetch-site": "same-site", origin: `https://${host}` }],
    ["an address that was typed", false, { "sec-fetch-site": "none" }],
    ["two origins", false, { "sec-fetch-site": "same-origin, cross-site" }],
  ])("counts, or not, when it comes from %s: %s", (_, isSameOrigin, headers) => {
    const presented = { isSameOrigin, hasCookie: isSameOrigin === true };
    const found = isSameOrigin === true ? { playerId, hash } : null;
    expect(readPresented({}, { host, cookie, ...headers })).toMatchObject({ ...presented, token: found });
  });

  const local = "localhost:3000";
  it.each<[string, boolean, Record<string, string>]>([
    ["a page of this machine", true, { host: local, origin: `http://${local}` }],
    ["a page of this machine by its address", true, { host: "127.0.0.1", origin: "http://127.0.0.1" }],
    ["a page of this machine by its IPv6 address", true, { host: "[::1]:80", origin: "http://[::1]:80" }],
    ["a development server in front of it", true, { ...HERE, host: local, origin: "http://localhost:5173" }],
    ["a request without Origin, as a GET", true, { ...HERE, host: local }],
    ["a request that does not say where it comes from", false, { host: local }],
    ["a public page, whose proxy changes the host", false, { ...HERE, host: local, origin: "https://a.b" }],
    ["a public page without TLS, behind such a proxy", false, { ...HERE, host: local, origin: "http://a.b" }],
    ["a page of this machine with TLS", false, { ...HERE, host: local, origin: `https://${local}` }],
    ["API Gateway", false, { ...HERE, host: local, "x-forwarded-proto": "https" }],
    ["a proxy that names the client", false, { ...HERE, host: local, "x-forwarded-for": "192.0.2.1" }],
    ["a proxy that follows the standard", false, { ...HERE, host: local, forwarded: "proto=https" }],
    ["a proxy that names itself", false, { ...HERE, host: local, via: "1.1 cache" }],
    ["a public host", false, { ...HERE, host }],
    ["a host that begins alike", false, { ...HERE, host: "localhost.evil", origin: "http://localhost.evil" }],
    ["a page that begins alike", false, { ...HERE, host: local, origin: "http://localhost.evil" }],
  ])("counts, or not, by its plain name when it comes from %s: %s", (_, counts, headers) => {
    const plain = `zombie-session=${token}`;
    const found = counts ? { playerId, hash } : null;
    expect(readPresented({}, { cookie: plain, ...headers })).toMatchObject({
      hasCookie: counts,
      token: found,
    });
    expect(readPresented({}, { cookie: `${plain}; ${plain}`, ...headers }).token).toBeNull();
    // Only a page with TLS can have set the other one.
    const both = `zombie-session=${makeToken(randomUUID()).token}; ${cookie}`;
    const isSame = headers["sec-fetch-site"] !== undefined || counts;
    expect(readPresented({}, { cookie: both, ...headers }).token).toEqual(isSame ? { playerId, hash } : null);
  });

  it("is set without Secure only if the page says that it has none, and is forgotten by both names", async () => {
    const ada = await s.join("Ada");
    const call = (route: string, headers: object, body?: object) =>
      s.call(route, { body, headers: { host: local, ...HERE, ...headers } });
    const kinds = async (headers: object) => {
      const login = { alias: "Ada", password: PASSWORD, cookie: true };
      const set = (await call("POST /login", headers, login)).headers["set-cookie"] ?? "";
      return set
        .split(", ")
        .map((one) => one.replace(/^([\w-]+=)[^;]+/, "$1").replace(/Max-Age=[1-9]\d+/, "Max-Age=age"));
    };
    const secure = (age: string) =>
      `__Host-session=; Max-Age=${age}; Path=/; Secure; HttpOnly; SameSite=Strict`;
    const plain = (age: string) => `zombie-session=; Max-Age=${age}; Path=/; HttpOnly; SameSite=Strict`;
    const page = { origin: `http://${local}` };
    expect(await kinds(page)).toEqual([plain("age"), secure("0")]);
    for (const proxied of [
      {},
      { origin: "https://a.b" },
      { ...page, "x-forwarded-proto": "https" },
      { ...page, host },
    ])
      expect(await kinds(proxied)).toEqual([secure("age")]);
    const logout = await call("POST /logout", { ...page, cookie: `zombie-session=${ada.token}` });
    expect(logout.headers["set-cookie"]).toBe([secure("0"), plain("0")].join(", "));
    expect((await session(bearer(ada))).status).toBe(403);
  });

  it.each([
    [`theme=dark; ${cookie}; x=__Host-session=1`, true],
    [`${cookie}; ${cookie}`, false],
    [`${cookie}x`, false],
    ["__Host-session=", false],
    [cookie.replace("__Host-", ""), false],
    [cookie.toUpperCase(), false],
  ])("is ignored if malformed or given twice, and yields to a bearer token (%#)", (all, isFound) => {
    const found = isFound ? { playerId, hash } : null;
    expect(readPresented({}, { host, cookie: all, ...HERE }).token).toEqual(found);
    // A bearer token wins over it, also one that does not count.
    const other = makeToken(randomUUID());
    for (const [one, its] of [
      [other.token, other.hash],
      ["x", undefined],
    ]) {
      const headers = { host, cookie: all, authorization: `Bearer ${one}`, ...HERE };
      expect(readPresented({}, headers).token?.hash).toBe(its);
    }
  });

  it("is set only on request; a request for it from a page of another origin opens no session", async () => {
    const ada = await s.join("Ada");
    const login = (body: object, headers = {}) =>
      s.call("POST /login", { body: { alias: "Ada", password: PASSWORD, ...body }, headers });
    const { headers, body } = await login({ cookie: true });
    const [value, ...attributes] = (headers["set-cookie"] ?? "").split("; ");
    expect(value).toBe(`__Host-session=${body.token}`);
    const age = `Max-Age=${(30 * DAY) / 1_000}`;
    expect(attributes.toSorted()).toEqual(["HttpOnly", age, "Path=/", "SameSite=Strict", "Secure"]);
    for (const asked of [{}, { cookie: false }])
      expect((await login(asked)).headers).not.toHaveProperty("set-cookie");
    const made = await register("Ben", { login: true, cookie: true });
    expect(made.headers["set-cookie"]).toContain(`__Host-session=${made.body.token}; `);
    for (const more of [{}, { login: false }]) {
      const { body } = await register("Cid", { cookie: true, email: 5, ...more });
      expect(body.errors).toMatchObject([{ path: "email" }, { path: "cookie" }]);
    }
    const before = await sessionsOf(ada.id);
    const elsewhere = { host, origin: "https://evil.example" };
    const rejected = { status: 400, body: { errors: [{ path: "cookie" }] } };
    expect(await login({ cookie: true }, elsewhere)).toMatchObject(rejected);
    expect(await sessionsOf(ada.id)).toEqual(before);
    const asked = register("Cid", { cookie: true, login: true }, { headers: elsewhere });
    expect(await asked).toMatchObject(rejected);
  });

  it("is cleared by a logout, which ends the session of the token that counts", async () => {
    const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
    const logout = (headers: Record<string, string>) => s.call("POST /logout", { headers });
    const cookie = `__Host-session=${ada.token}`;
    const cleared = "__Host-session=; Max-Age=0; Path=/; Secure; HttpOnly; SameSite=Strict";
    const isValid = async (one: TestPlayer) => (await session(bearer(one))).status === 200;
    for (const [headers, status, set, valid] of [
      [{ cookie, "sec-fetch-site": "cross-site" }, 403, undefined, [true, true]],
      [{ cookie, ...bearer(ben), ...HERE }, 204, cleared, [true, false]],
      [{ cookie, ...HERE }, 204, cleared, [false, false]],
      [bearer(await s.login("Ada", PASSWORD)), 204, undefined, [false, false]],
    ] as const) {
      const result = await logout(headers);
      expect([result.status, result.headers["set-cookie"]]).toEqual([status, set]);
      expect([await isValid(ada), await isValid(ben)]).toEqual(valid);
    }
  });
});

// A role may allow only the calls that tests make (decision 23).
it("the use of a session that was not used for a long time is recorded at every endpoint", async () => {
  const [ada, gm] = [await s.join("Ada"), await s.admin()];
  for (const { route, access } of ENDPOINTS.filter((one) => one.access !== "public")) {
    const isDeletion = route.startsWith("DELETE /delete_player");
    const who = isDeletion ? await s.join("Ben") : access === "player" ? ada : gm;
    const as = await s.login(who.alias, PASSWORD);
    s.now += access === "player" ? 2 * DAY : 2 * HOUR;
    const before = s.now;
    const { status } = await s.call(route, { as, ...(route.startsWith("POST") ? { body: {} } : {}) });
    expect([401, 403, 500], route).not.toContain(status);
    const used = (await sessionsOf(as.id)).filter(({ last_used }) => last_used >= before);
    expect(used, route).toHaveLength(isDeletion ? 0 : 1);
  }
});

it("a session of before a player became a game master ends after a week, however often it is used", async () => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  await done(gm, "edit_player", { alias: "Ada", is_admin: true });
  const began = s.now;
  for (; s.now < began + 7 * DAY; s.now += 11 * HOUR)
    expect((await s.call("GET /player/{url_id}", { as: ada })).status).toBe(200);
  s.now = began + 7 * DAY + HOUR;
  await expectRefused(s.call("GET /player/{url_id}", { as: ada }), "token_rejected");
});
