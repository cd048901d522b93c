/** Values for the fields of requests: of given words where there are some, otherwise of what the schema accepts. */
import fc from "fast-check";
import * as z from "zod/mini";
import type { $ZodTypes, JSONSchema } from "zod/v4/core";
import { readJson } from "../../../lib/http/requestBody.ts";

export type Values = Record<string, unknown>;
export type Words = Record<string, fc.Arbitrary<unknown>>;

/** A field of a body or a query. */
export interface Field {
  schema: z.ZodMiniType;
  json: JSONSchema.BaseSchema;
  isRequired: boolean;
}

const LONGEST = 60;
const SAFE = Number.MAX_SAFE_INTEGER;

/** The value of a JSON body; undefined if the service rejects such a body (tests/contract/input.test.ts). */
export const readBody = (body: string): unknown => {
  try {
    const { value, issues } = readJson({ body, isBase64Encoded: false, headers: {} });
    return issues.length === 0 ? value : undefined;
  } catch {
    return undefined;
  }
};

const shapeOf = (schema: unknown): Record<string, unknown> => {
  // Every schema is one of zod's own types, which the mini types do not declare.
  const { def } = (schema as $ZodTypes)._zod;
  if (def.type === "lazy") return shapeOf(def.getter());
  if (def.type !== "object") throw new Error(`a request is an object, and not ${def.type}`);
  return def.shape;
};

/** The fields of an object's schema; none without a schema. */
export const fieldsOf = (schema: z.ZodMiniType | undefined): Record<string, Field> => {
  if (schema === undefined) return {};
  const asJson = (io: "input" | "output") => z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const { properties = {}, required = [] } = asJson("input");
  const output = asJson("output").properties ?? {};
  const fields = Object.entries(shapeOf(schema)).map(([name, inner]): [string, Field] => {
    const [json = {}, read] = [properties[name], output[name]];
    if (typeof json === "boolean") throw new Error(`${name} has no schema`);
    // An integer in a query is written as text.
    const bounds =
      json.type === "string" && typeof read === "object" && read.type === "integer"
        ? { minimum: read.minimum ?? 0, maximum: read.maximum ?? SAFE }
        : {};
    const isRequired = required.includes(name);
    return [name, { schema: inner as z.ZodMiniType, json: { ...json, ...bounds }, isRequired }];
  });
  return Object.fromEntries(fields);
};

/** The arbitraries of patterns: making one can take 50 ms, and a hundred fields have the pattern of a time. */
const ofPattern = new Map<string, fc.Arbitrary<string>>();
const matching = (pattern: string): fc.Arbitrary<string> => {
  const known = ofPattern.get(pattern) ?? fc.stringMatching(new RegExp(pattern));
  ofPattern.set(pattern, known);
  return known;
};

const strings = (json: JSONSchema.BaseSchema): fc.Arbitrary<string> => {
  const { pattern, minLength = 0, maxLength = LONGEST } = json;
  if (pattern !== undefined) return matching(pattern);
  const size = { minLength, maxLength: Math.max(minLength, Math.min(maxLength, LONGEST)) };
  const plain = fc.string({ ...size, unit: fc.constantFrom(..."abc XYZ 019 -_.'\"<&%/\\") });
  return fc.oneof(plain, fc.string({ ...size, unit: "grapheme" }));
};

/** Values of a JSON Schema, with the given words for the fields of objects within. */
const valuesOf = (json: JSONSchema._JSONSchema, words: Words): fc.Arbitrary<unknown> => {
  if (typeof json === "boolean") return fc.constant(null);
  const { type, minimum: min = -SAFE, maximum: max = SAFE } = json;
  if (json.anyOf !== undefined) return fc.oneof(...json.anyOf.map((one) => valuesOf(one, words)));
  if (json.enum !== undefined) return fc.constantFrom(...json.enum);
  if (json.const !== undefined) return fc.constant(json.const);
  if (type === "boolean") return fc.boolean();
  if (type === "integer")
    return fc.oneof(fc.integer({ min, max }), fc.integer({ min, max: Math.min(max, min + 4) }));
  if (type === "number") return fc.double({ min, max, noNaN: true, noDefaultInfinity: true });
  if (type === "string") return strings(json);
  if (type === "array" && !Array.isArray(json.items))
    return fc.array(valuesOf(json.items ?? {}, words), { maxLength: Math.min(json.maxItems ?? 4, 4) });
  if (type === "object") {
    const inner: Words = {};
    for (const [name, one] of Object.entries(json.properties ?? {}))
      inner[name] = words[name] ?? valuesOf(one, words);
    return fc.record(inner, { requiredKeys: json.required ?? [], noNullPrototype: true });
  }
  return fc.jsonValue({ maxDepth: 3 }).filter((value) => readBody(JSON.stringify(value)) !== undefined);
};

const SAMPLES = 200;
const MIN_FITTING = 10;

/** The values of an arbitrary that a schema accepts; none when those are too few. */
const fitting = (arbitrary: fc.Arbitrary<unknown>, schema: z.ZodMiniType): fc.Arbitrary<unknown>[] => {
  const fits = (value: unknown): boolean => z.safeParse(schema, value).success;
  const good = fc.sample(arbitrary, { numRuns: SAMPLES, seed: 1 }).filter(fits);
  return good.length < MIN_FITTING ? [] : [arbitrary.filter(fits)];
};

/** Objects of these fields, with the optional ones sometimes left out, and mostly with the given words. */
export const objectsOf = (fields: Record<string, Field>, words: Words): fc.Arbitrary<Values> => {
  const each = Object.entries(fields).map(([name, { schema, json }]): [string, fc.Arbitrary<unknown>] => {
    const own = words[name];
    // A picture is decoded before its schema is checked, so this schema accepts anything.
    if (own !== undefined && Object.keys(json).length === 0) return [name, own];
    const some = [
      ...(own === undefined ? [] : fitting(own, schema)).map((arbitrary) => ({ weight: 5, arbitrary })),
      ...fitting(valuesOf(json, words), schema).map((arbitrary) => ({ weight: 1, arbitrary })),
    ];
    if (some.length === 0) throw new Error(`hardly any value of ${name} fits its schema: it needs words`);
    return [name, fc.oneof(...some)];
  });
  const requiredKeys = Object.keys(fields).filter((name) => fields[name]?.isRequired);
  return fc.record(Object.fromEntries(each), { requiredKeys, noNullPrototype: true });
};
