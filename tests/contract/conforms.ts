/** What holds for every response: its headers, the declared fields and no other, and the conventions. */
import { expect } from "vitest";
import * as z from "zod/mini";
import type { Result } from "../support/service.ts";
import { DOCUMENTED } from "./seed.ts";
import { expectError, expectSecurityHeaders, IMMUTABLE } from "./support.ts";

/** Endpoints whose response is an image. */
const PICTURES = new Set(["GET /pfp/{url_id}", "POST /get_pfp/{url_id}", "GET /pictures/{picture_id}"]);

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const UUID_4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const UUID_7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Every scalar of a response with its key, without recursion. */
const scalarsOf = (body: unknown): [key: string, value: unknown][] => {
  const found: [string, unknown][] = [];
  const pending: [string, unknown][] = [["", body]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [key, value] = next;
    if (Array.isArray(value)) pending.push(...value.map((inner): [string, unknown] => [key, inner]));
    else if (typeof value === "object" && value !== null) pending.push(...Object.entries(value));
    else found.push([key, value]);
  }
  return found;
};

const expectConventions = (body: unknown): void => {
  for (const [key, value] of scalarsOf(body)) {
    expect(key, "snake_case").toMatch(/^[a-z0-9_]*$/);
    const isTime = /(^at|_at|^now|^since|_since|^next_feeding)$/.test(key);
    if (isTime && value !== null) expect(value, key).toMatch(RFC_3339);
    if (typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value)) expect(value, key).toMatch(RFC_3339);
    if (key === "player_id") expect(value).toMatch(UUID_4);
    if (/^(interaction_id|infection_id)$/.test(key)) expect(value).toMatch(UUID_7);
    if (key.endsWith("_seconds") || (key === "seconds_left" && value !== null))
      expect(Number.isInteger(value), key).toBe(true);
    if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
  }
};

type Def = { type: string } & Record<string, unknown>;
/** The definition of a schema, without what makes it optional or lazy. */
const defOf = (schema: unknown): Def => {
  const { def } = (schema as { _zod: { def: Def } })._zod;
  if (def.type === "lazy" && typeof def.getter === "function") return defOf(def.getter());
  return def.innerType === undefined ? def : defOf(def.innerType);
};

/** The fields of a value that a schema does not declare. */
const undeclared = (schema: unknown, value: unknown, path = "$"): string[] => {
  const { type, element, shape } = defOf(schema);
  if (value === null || value === undefined) return [];
  if (type === "array" && Array.isArray(value)) {
    return value.flatMap((inner, at) => undeclared(element, inner, `${path}.${at}`));
  }
  if (type !== "object") return [];
  const fields = new Map(Object.entries(shape as object));
  return Object.entries(value).flatMap(([name, inner]) =>
    fields.has(name) ? undeclared(fields.get(name), inner, `${path}.${name}`) : [`${path}.${name}`],
  );
};

/**
 * Expects a response to be as its endpoint's schema, and the conventions of docs/api.md, say.
 * @param alsoHolds another check than that of the conventions, which texts of players may break
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
  expect(z.safeParse(response.schema, result.body).error?.issues ?? [], say).toEqual([]);
  expect(undeclared(response.schema, result.body), say).toEqual([]);
  if (own.module !== "docs") alsoHolds(result.body);
};
