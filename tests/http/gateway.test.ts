/** The gateway: no request over HTTP causes an internal error. */
import { request } from "node:http";
import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { running } from "../support/running.ts";

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  fetch(`${running().base}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });

it("rejects bodies that are no object, not UTF-8 or too large", async () => {
  for (const body of ["0", "null", "[]", '""', "nonsense", "{", " ", new Uint8Array([0xff, 0xfe, 0x00])]) {
    expect((await post("/login", body)).status, String(body)).toBe(400);
  }
  expect((await post("/login", "a".repeat(64 * 1024 + 1))).status).toBe(413);
  expect((await post("/login", "a".repeat(11 * 1024 * 1024))).status).toBe(413);
});

it.each([
  "/player/%2e%2e%2fnew",
  "/player/%00",
  "//new",
  "/player/abc/",
  "/player/a%2Fb",
  "/PLAYER/x",
  "/player/%ZZ",
])("the path %s causes no internal error", async (path) => {
  expect([400, 403, 404]).toContain((await fetch(`${running().base}${path}`)).status);
});

it.each([
  ["PUT", "/login"],
  ["GET", "/nowhere"],
  ["POST", "/"],
])("responds to the unknown endpoint %s %s with a problem document", async (method, path) => {
  const reply = await fetch(`${running().base}${path}`, { method });
  expect(reply.status).toBe(404);
  expect(reply.headers.get("content-type")).toContain("application/problem+json");
  expect(await reply.json()).toMatchObject({
    status: 404,
    code: "not_found",
    detail: `There is no endpoint ${method} ${path}: docs/api.md lists them.`,
    request_id: reply.headers.get("x-request-id"),
  });
});

it("rejects a request with two Authorization headers, whichever of them is valid", async () => {
  const alias = `Twice ${Date.now()}`;
  const credentials = JSON.stringify({ alias, password: "correct horse battery" });
  expect((await post("/new", credentials)).status).toBe(201);
  const login = z.object({ player_id: z.string(), token: z.string() });
  const { player_id, token } = login.parse(await (await post("/login", credentials)).json());
  const { host } = new URL(running().base);
  const statusWith = (...tokens: string[]) =>
    new Promise<number | undefined>((resolve, reject) => {
      const headers = tokens.flatMap((one) => ["Authorization", `Bearer ${one}`]);
      request(`${running().base}/player/${player_id}`, { headers: ["Host", host, ...headers] }, (reply) =>
        resolve(reply.resume().statusCode),
      )
        .once("error", reject)
        .end();
    });
  expect(await statusWith(token)).toBe(200);
  expect(await statusWith(token, "other")).toBe(403);
  expect(await statusWith("other", token)).toBe(403);
});

it("sets, accepts and clears the cookie of a browser's session, for pages of its own origin alone", async () => {
  const own = { origin: running().base };
  const alias = `Cookie ${Date.now()}`;
  const body = JSON.stringify({ alias, password: "correct horse battery", login: true, cookie: true });
  const opened = await post("/new", body, own);
  expect(opened.status).toBe(201);
  const [set = "", ...others] = opened.headers.getSetCookie();
  expect(others).toEqual([]);
  const [cookie = "", ...attributes] = set.split("; ");
  expect(cookie).toMatch(/^__Host-session=hvz1\.[\w.-]{80}$/);
  expect(attributes.filter((one) => !one.startsWith("Expires=")).toSorted()).toEqual([
    ...["HttpOnly", "Max-Age=2592000", "Path=/", "SameSite=Strict", "Secure"],
  ]);
  const statusWith = async (headers: Record<string, string>, path = "/session/me") =>
    (await fetch(`${running().base}${path}`, { headers })).status;
  // Other pages of this machine share its cookies, whatever form they have.
  for (const path of ["/session/me", "/player/me"]) {
    expect(await statusWith({ ...own, cookie: `a="b; ${cookie}; c=d=, e` }, path)).toBe(200);
  }
  expect(await statusWith({ "sec-fetch-site": "same-origin", cookie })).toBe(200);
  expect(await statusWith({ cookie })).toBe(403);
  expect(await statusWith({ origin: "http://localhost:1", cookie })).toBe(403);

  const closed = await post("/logout", "{}", { ...own, cookie });
  expect(closed.status).toBe(204);
  expect(closed.headers.getSetCookie().join()).toMatch(/^__Host-session=; Max-Age=0; .*HttpOnly/);
  expect(await statusWith({ ...own, cookie })).toBe(403);
});

it("allows cross-origin requests with the headers that pages need", async () => {
  const reply = await fetch(`${running().base}/login`, {
    method: "OPTIONS",
    headers: {
      origin: "https://club.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type,idempotency-key",
    },
  });
  expect(reply.status).toBe(204);
  const allowed = reply.headers.get("access-control-allow-headers")?.toLowerCase() ?? "";
  for (const name of ["authorization", "content-type", "idempotency-key", "if-none-match"]) {
    expect(allowed).toContain(name);
  }
  const exposed = reply.headers.get("access-control-expose-headers")?.toLowerCase() ?? "";
  for (const name of ["etag", "retry-after", "x-request-id"]) expect(exposed).toContain(name);
});

it("compresses a long response only for clients that accept it", async () => {
  const body = JSON.stringify(Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`unknown_${n}`, n])));
  /** Without decompression, which `fetch` does. */
  const send = (headers: Record<string, string>) =>
    new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
      const sent = request(`${running().base}/new`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
      });
      sent.once("error", reject);
      sent.once("response", (reply) => {
        buffer(reply).then((bytes) => resolve({ headers: reply.headers, bytes }), reject);
      });
      sent.end(body);
    });
  const plain = await send({});
  expect(plain.headers).not.toHaveProperty("content-encoding");
  const { errors } = JSON.parse(plain.bytes.toString());
  expect(errors.length).toBeGreaterThan(39);
  const packed = await send({ "accept-encoding": "gzip" });
  expect(packed.headers).toMatchObject({ "content-encoding": "gzip" });
  expect(packed.bytes.length).toBeLessThan(plain.bytes.length / 2);
  expect(JSON.parse(gunzipSync(packed.bytes).toString()).errors).toEqual(errors);
});
