/** What the web app and the client take for a response of the service; tests/contract/conforms.ts has real ones. */
import { expect, it } from "vitest";
import { toGameError } from "../../client/src/error.ts";
import { GameClient } from "../../client/src/index.ts";
import { ITEMS } from "../../web/src/state/shapes.ts";
import { NEEDS } from "../support/needs.ts";

it.each(Object.entries(ITEMS))("an entry of the kept list %s needs its fields", (_, check) => {
  for (const other of [null, 7, "", {}, []]) expect(check(other)).toBe(false);
});

it.each(Object.entries(NEEDS))("a response of another shape is none of %s", (_, check) => {
  for (const other of [null, "ok", {}, [], { status: "ok" }, [{}]]) expect(check?.(other)).toBe(false);
});

const clientWith = (response: () => Response, accepts = () => true) =>
  new GameClient({ fetch: async () => response(), attempts: 1, accepts });
const html = (init: ResponseInit = {}) =>
  new Response("<h1>WiFi</h1>", { ...init, headers: { "content-type": "text/html", ...init.headers } });

it.each([
  ["HTML", () => html()],
  ["HTML that is called JSON", () => html({ headers: { "content-type": "application/json" } })],
  ["no type", () => new Response("{}", { headers: { "content-type": "" } })],
  ["JSON that is no object", () => Response.json("ok")],
  ["204", () => new Response(null, { status: 204 })],
  ["304 without a condition", () => new Response(null, { status: 304 })],
])("the client takes %s for no response of the service", async (_, response) => {
  const error = expect.objectContaining({ code: "network", status: 0 });
  await expect(clientWith(response).get("/public")).rejects.toEqual(error);
  await expect(clientWith(response).post("/login", { body: { alias: "a", password: "b" } })).rejects.toEqual(
    error,
  );
});

it("the client takes a picture and an empty success only where they are declared", async () => {
  const error = { code: "network" };
  await expect(clientWith(() => html()).get("/pfp/{url_id}")).rejects.toMatchObject(error);
  const empty = () => new Response(null, { status: 204 });
  expect(await clientWith(empty).post("/logout", { body: {} })).toBeUndefined();
  await expect(clientWith(() => html()).post("/logout", { body: {} })).rejects.toMatchObject(error);
});

it("the client takes a 304 for the last response only if it is about the same, and what its caller needs", async () => {
  const responses = [
    () => Response.json({ a: 1 }, { headers: { etag: 'W/"1"' } }),
    () => new Response(null, { status: 304, headers: { etag: '"1"' } }),
    () => new Response(null, { status: 304, headers: { etag: '"portal"' } }),
  ].values();
  const game = clientWith(() => responses.next().value?.() ?? html());
  const first = await game.get("/public", { revalidate: true });
  expect(await game.get("/public", { revalidate: true })).toBe(first);
  await expect(game.get("/public", { revalidate: true })).rejects.toMatchObject({ code: "network" });
  const picky = clientWith(
    () => Response.json({}),
    () => false,
  );
  await expect(picky.get("/public")).rejects.toMatchObject({ code: "network" });
});

it("an error code counts only in a response of the service", async () => {
  const body = { code: "already_tagged", detail: "Used." };
  const foreign = await toGameError(Response.json(body, { status: 409 }), 0);
  expect(foreign).toMatchObject({ code: "gateway", status: 409 });
  const own = Response.json(body, { status: 409, headers: { "x-request-id": "1" } });
  expect(await toGameError(own, 0)).toMatchObject({ code: "already_tagged", message: "Used." });
});
