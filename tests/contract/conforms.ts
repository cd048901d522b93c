/** What holds for every response: its headers, the declared fields and no other, what the app needs, and the conventions. */
import { expect } from "vitest";
import * as z from "zod/mini";
import { NEEDS } from "../support/needs.ts";
import type { Result } from "../support/service.ts";
import { DOCUMENTED } from "./endpoints.ts";
import { expectError, expectSecurityHeaders, IMMUTABLE } from "./support.ts";

/** Endpoints whose response is an image. */
const PICTURES = new Set(["GET /pfp/{url_id}", "POST /get_pfp/{url_id}", "GET /pictures/{picture_id}"]);

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const uuid = (version: number): RegExp =>
  new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`);

/** The formats of fields by their names; a value may also be null. */
const FORMATS: [name: RegExp, format: RegExp][] = [
  [/(^at|_at|^now|^since|_since|^next_feeding)$/, RFC_3339],
  [/^player_id$/, uuid(4)],
  [/^(interaction|infection)_id$/, uuid(7)],
  [/_seconds$|^seconds_left$/, /^-?\d+$/],
];

const expectConventions = (body: unknown): void => {
  JSON.stringify(body, (key, value: unknown) => {
    // Versions of settings, by the names of the settings.
    if (key === "versions") return;
    expect(key, "snake_case").toMatch(/^[a-z0-9_]*$/);
    if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) expect(value, key).toMatch(RFC_3339);
    for (const [name, format] of FORMATS)
      if (name.test(key) && value !== null) expect(String(value), key).toMatch(format);
    return value;
  });
};

/**
 * Expects a response to agree with its endpoint's schema and with the conventions of docs/api.md.
 * @param alsoHolds checks the body further; by default for the conventions, which random texts may break
 */
export const expectConforms = (
  route: string,
  result: Result,
  alsoHolds: (body: unknown) => void = expectConventions,
): void => {
  const own = DOCUMENTED.find(({ info }) => info.route === route);
  if (own === undefined) throw new Error(`no endpoint ${route}`);
  const { response } = own.info;
  const say = `${route}: ${result.status} ${result.text.slice(0, 400)}`;
  expect(result.headers["x-request-id"], say).toMatch(/^[\w-]{8,}$/);
  if (own.docs.mediaType !== undefined && result.status === 200) {
    expect(result.headers["content-type"], say).toContain(own.docs.mediaType);
    expect(result.headers["cache-control"], say).toMatch(/^public, (no-cache|max-age=31536000, immutable)$/);
    return;
  }
  const isPicture = result.status === 200 && PICTURES.has(route);
  const ofPictures = route.startsWith("GET /pictures/") ? IMMUTABLE : "private, no-cache";
  expect(result.headers["cache-control"], say).toBe(
    isPicture ? ofPictures : result.status < 400 ? response.cacheControl : "no-store",
  );
  expectSecurityHeaders(result, say);
  for (const name of Object.keys(result.headers)) expect(name, say).toBe(name.toLowerCase());
  if (result.status >= 400) {
    expectError(route, result, result.status, result.body?.code, say);
    return;
  }
  const statuses = own.docs.success ?? { [response.status]: "" };
  expect(Object.keys(statuses), say).toContain(String(result.status));
  if (result.status === 204) {
    expect(result.text, say).toBe("");
    expect(result.headers["content-type"], say).toBeUndefined();
    return;
  }
  if (response.schema === null) throw new Error(`${say} has no schema`);
  if (isPicture) {
    expect(result.headers, say).toMatchObject({ "content-type": "image/webp", etag: expect.any(String) });
    expect(z.safeParse(response.schema, result.bytes).success, say).toBe(true);
    return;
  }
  expect(result.headers["content-type"], say).toBe("application/json; charset=utf-8");
  const { error, data } = z.safeParse(response.schema, result.body);
  expect(error?.issues ?? [], say).toEqual([]);
  // The schema leaves out what it does not declare.
  expect(result.body, say).toEqual(data);
  const isEnough = NEEDS[route.split(" ")[1] ?? ""]?.(result.body) ?? true;
  expect(isEnough, `the app needs more of ${say}`).toBe(true);
  if (own.module !== "docs") alsoHolds(result.body);
};
