/** Bounds of requests: every text, number and list has a maximum, and every time is near the service's clock. */
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { rfc3339 } from "../../lib/domain/time.ts";
import { isObject, type Json, objectAt } from "../../scripts/openapi/schemas.ts";
import { type Result, testEnvironment } from "../support/service.ts";
import { createGame, goodBody } from "./bodies.ts";
import { expectNamedIn, isTextual } from "./support.ts";

const s = testEnvironment({ at: Date.parse("2026-11-21T10:00:00Z") });

const DOCUMENT: Json = JSON.parse(readFileSync(new URL("../../docs/openapi.json", import.meta.url), "utf8"));

const resolved = (schema: Json): Json =>
  typeof schema.$ref === "string" ? resolved(objectAt(DOCUMENT, ...schema.$ref.split("/").slice(1))) : schema;

const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

interface Leaf {
  /** The path of the field in a request; an entry of a list has the number 0. */
  path: string;
  schema: Json;
}

/** Every schema within a schema, with its path. */
const leavesOf = (given: Json, path: string[] = []): Leaf[] => {
  const schema = resolved(given);
  const { additionalProperties: others, items } = schema;
  return [
    { path: path.join("."), schema },
    ...["anyOf", "oneOf", "allOf"].flatMap((name) =>
      objectsIn(schema[name]).flatMap((one) => leavesOf(one, path)),
    ),
    ...Object.entries(objectAt(schema, "properties")).flatMap(([name, inner]) =>
      isObject(inner) ? leavesOf(inner, [...path, name]) : [],
    ),
    ...(isObject(others) ? leavesOf(others, [...path, "*"]) : []),
    ...(isObject(items) ? leavesOf(items, [...path, "0"]) : []),
  ];
};

/** The fields of the requests of each route, in its body and in its query. */
const FIELDS = Object.entries(objectAt(DOCUMENT, "paths")).flatMap(([path, methods]) =>
  Object.entries(isObject(methods) ? methods : {}).flatMap(([method, operation]) => {
    if (!isObject(operation)) return [];
    const parameters = objectsIn(operation.parameters).map(resolved);
    const queries = parameters.flatMap(({ in: place, name, schema }) =>
      place === "query" && isObject(schema) ? leavesOf(schema, [String(name)]) : [],
    );
    const { content } = resolved(objectAt(operation, "requestBody"));
    const bodies = Object.values(isObject(content) ? content : {}).flatMap((one) =>
      leavesOf(objectAt(one, "schema")),
    );
    const route = `${method.toUpperCase()} ${path}`;
    return [...bodies, ...queries].map((leaf) => ({ route, ...leaf }));
  }),
);

const hasType = ({ type }: Json, name: string): boolean => [type].flat().includes(name);

/** What a schema leaves without a bound; nothing if its values are listed. */
const unbounded = (schema: Json): string[] => {
  const { enum: listed, const: only, format, pattern, contentEncoding, minimum, maximum, maxItems } = schema;
  if (listed !== undefined || only !== undefined) return [];
  // A UUID has its length, and pictures have the limit of their endpoint's bodies.
  const isOfOneLength = format === "uuid" || /^\^\[[^\]]+\]\{\d+\}\$$/.test(String(pattern));
  const hasLength = isOfOneLength || contentEncoding !== undefined || schema.maxLength !== undefined;
  const isNumber = hasType(schema, "number") || hasType(schema, "integer");
  return [
    ...(hasType(schema, "string") && !hasLength ? ["maxLength"] : []),
    ...(isNumber && minimum === undefined ? ["minimum"] : []),
    ...(isNumber && maximum === undefined ? ["maximum"] : []),
    ...(hasType(schema, "array") && maxItems === undefined ? ["maxItems"] : []),
  ];
};

it("every text, number and list of a request has a maximum", () => {
  const without = FIELDS.flatMap(({ route, path, schema }) =>
    unbounded(schema).map((bound) => `${route} ${path}: ${bound}`),
  );
  expect(without).toEqual([]);
  expect(FIELDS.length).toBeGreaterThan(200);
});

const TIMES = FIELDS.filter(({ schema }) => schema.format === "date-time");

/** A body with a value at a path. */
const placed = ([name = "", ...rest]: string[], value: unknown): unknown => {
  const inner = rest.length === 0 ? value : placed(rest, value);
  return name === "0" ? [inner] : { [name]: inner };
};

const expectRefused = (result: Result, route: string, path: string, time: string): void => {
  const say = `${route} ${path} ${time}: ${result.text.slice(0, 300)}`;
  expect(result.status, say).toBe(400);
  const issue = expect.objectContaining({ path, message: expect.stringMatching(BOUNDED) });
  if (isTextual(route)) expectNamedIn(result.text, path, say);
  else expect(result.body.errors, say).toContainEqual(issue);
};

/** A tag is within the report window instead: a phone's clock may be wrong by decades, and its player must read that. */
const BOUNDED = /( must be within ten years of now| is in the future| is more than 6 hours ago)\.$/;

it("every time of a request is within ten years of the service's clock", async () => {
  expect(TIMES.length).toBeGreaterThanOrEqual(12);
  const on = await createGame(s);
  const inYears = (years: number) => new Date(s.now).setUTCFullYear(new Date(s.now).getUTCFullYear() + years);
  const wild = ["0206-11-21T10:00:00Z", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"];
  for (const { route, path } of TIMES) {
    for (const time of [...wild, rfc3339(inYears(-10) - 1), rfc3339(inYears(10) + 1)]) {
      const body = { ...goodBody(route, on), ...(placed(path.split("."), time) as object) };
      expectRefused(await s.call(route, { as: on.gm, body }), route, path, time);
    }
  }
});
