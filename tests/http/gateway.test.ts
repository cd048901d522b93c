/** The gateway over HTTP: invalid requests cause no internal error; headers, cookies and CORS. */
import { request } from "node:http";
import { expect, it } from "vitest";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { clientOf } from "../support/client.ts";
import { honest } from "../support/pictures.ts";
import { running } from "../support/running.ts";

const post = (path: string, body: string | Uint8Array<ArrayBuffer>, more: Record<string, string> = {}) => {
  const headers = { "content-type": "application/json", ...more };
  return fetch(`${running().base}${path}`, { method: "POST", headers, body });
};

it("rejects bodies that are not UTF-8 or too large", async () => {
  expect((await post("/login", new Uint8Array([0xff, 0xfe, 0x00]))).status).toBe(400);
  expect((await post("/login", "a".repeat(11 * 1024 * 1024))).status).toBe(413);
});

it.each("/player/%2e%2e%2fnew /player/%00 //new /player/abc/ /player/a%2Fb /PLAYER/x /player/%ZZ".split(" "))(
  "the path %s causes no internal error",
  async (path) => {
    expect([400, 403, 404]).toContain((await fetch(`${running().base}${path}`)).status);
  },
);

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

/** Headers of one response, of its connection, and of the local server alone. */
const OF_ONE_RESPONSE = ["date", "x-request-id", "connection", "keep-alive", "accept-ranges"];

const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
  const reply = await fetch(`${running().base}${path}`, { method, headers, redirect: "manual" });
  const shown = [...reply.headers].filter(([name]) => !OF_ONE_RESPONSE.includes(name));
  return { status: reply.status, headers: Object.fromEntries(shown), body: await reply.text() };
};

it("responds to HEAD as to GET, without the body, where no token is needed, and with 404 elsewhere", async () => {
  const { base } = running();
  const account = { alias: `Head ${Date.now()}`, password: "correct horse battery" };
  await clientOf().post("/new", { body: account });
  const { token } = await clientOf().post("/login", { body: account });
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/octet-stream" };
  const picture = new Uint8Array(await honest.png());
  expect((await fetch(`${base}/set_pfp/me`, { method: "POST", headers, body: picture })).status).toBe(200);
  const { picture_url } = await clientOf({ token }).get("/player/{url_id}");
  const page = await ask("GET", "/app/me");
  const [, script = ""] = /src="([^"]+)"/.exec(page.body) ?? [];
  const files: Record<string, string[]> = {
    "/app/{path+}": ["/app/me", script, "/app/sw.js", "/app/nothing.js"],
    "/docs/scalar.js": ["/docs/scalar.js", "/docs/scalar.js?nonsense=1"],
    "/pictures/{picture_id}": [picture_url ?? "", "/pictures/nobody.0"],
  };
  const heads = new Set(
    listedFunctions().flatMap(({ routes }) => routes.filter((one) => one.startsWith("HEAD "))),
  );
  for (const { route } of listedFunctions()) {
    if (route === undefined) continue;
    const [method, path = ""] = route.split(" ");
    const hasHead = heads.has(`HEAD ${path}`);
    // The address at which a POST ends mails leads somebody who opens it to a page.
    if (hasHead && method !== "GET") continue;
    for (const one of files[path] ?? [path.replace(/\{\w+\}$/, "me")]) {
      if (!hasHead) {
        const type = expect.stringContaining("application/problem+json");
        const refused = { status: 404, headers: { "content-type": type }, body: "" };
        expect(await ask("HEAD", one, { authorization: headers.authorization }), one).toMatchObject(refused);
        continue;
      }
      for (const encoding of ["identity", "gzip"]) {
        const asked = { "accept-encoding": encoding };
        const get = await ask("GET", one, asked);
        expect(await ask("HEAD", one, asked), one).toEqual({ ...get, body: "" });
        const { etag } = get.headers;
        if (etag === undefined) continue;
        const unchanged = await ask("HEAD", one, { ...asked, "if-none-match": etag });
        expect(unchanged, one).toMatchObject({ status: 304, headers: { etag }, body: "" });
      }
    }
  }
});

it("finds the cookie of a session among others, and rejects a request with two Authorization headers", async () => {
  const { base } = running();
  const account = { alias: `Cookie ${Date.now()}`, password: "correct horse battery" };
  const body = JSON.stringify({ ...account, login: true, cookie: true });
  const opened = await post("/new", body, { origin: base });
  const [cookie = ""] = opened.headers.getSetCookie().join().split(";");
  const statusWith = (...headers: string[]) =>
    new Promise<number | undefined>((resolve, reject) => {
      const all = ["Host", new URL(base).host, ...headers];
      request(`${base}/player/me`, { headers: all }, (reply) => resolve(reply.resume().statusCode))
        .once("error", reject)
        .end();
    });
  // Other pages of this machine share its cookies, whatever form they have.
  expect(await statusWith("Origin", base, "Cookie", `a="b; ${cookie}; c=d=, e`)).toBe(200);
  const [own, other] = [cookie.split("=")[1], "other"].map((one) => ["Authorization", `Bearer ${one}`]);
  for (const [headers, status] of [
    [[own], 200],
    [[own, other], 403],
    [[other, own], 403],
  ] as const)
    expect(await statusWith(...headers.flatMap((one) => one ?? []))).toBe(status);
});

it("allows cross-origin requests with the headers that pages need", async () => {
  const wanted = "authorization,content-type,idempotency-key,if-none-match";
  const asked = { "access-control-request-method": "POST", "access-control-request-headers": wanted };
  const { status, headers } = await fetch(`${running().base}/login`, {
    method: "OPTIONS",
    headers: { origin: "https://club.example", ...asked },
  });
  expect(status).toBe(204);
  const listed = (which: string) =>
    headers.get(`access-control-${which}-headers`)?.toLowerCase().split(/, ?/);
  expect(listed("allow")).toEqual(expect.arrayContaining(wanted.split(",")));
  expect(listed("expose")).toEqual(expect.arrayContaining(["etag", "retry-after", "x-request-id"]));
});
