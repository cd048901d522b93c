/** Makes arbitraries from schemas: of given words where there are some, otherwise of what the schema accepts. */
import fc from "fast-check";
import * as z from "zod/mini";
import type { Field, Form } from "./forms.ts";

type Words = Record<string, fc.Arbitrary<unknown>>;

const LONGEST = 60;
const SAFE = Number.MAX_SAFE_INTEGER;

const MAX_NESTING = 20;

/** Whether the service accepts a JSON value at all: well-formed text, exact numbers, no prototypes, not too deep. */
export const isSound = (value: unknown, level = 1): boolean => {
  if (typeof value === "string") return value.isWellFormed();
  if (typeof value === "number") return Math.abs(value) <= SAFE;
  if (typeof value !== "object" || value === null) return true;
  if (level > MAX_NESTING) return false;
  return Object.entries(value).every(
    ([key, inner]) => key !== "__proto__" && key.isWellFormed() && isSound(inner, level + 1),
  );
};

/** Values as JSON has them, without what no program should have to bear. */
export const soundJson: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 3 })
  .filter((value) => isSound(value));

const texts = ({ least, most, pattern }: Extract<Form, { kind: "text" }>): fc.Arbitrary<string> => {
  if (pattern !== null) return fc.stringMatching(pattern);
  const size = { minLength: least, maxLength: Math.max(least, Math.min(most, LONGEST)) };
  const plain = fc.string({ ...size, unit: fc.constantFrom(..."abc XYZ 019 -_.'\"<&%/\\") });
  return fc.oneof(plain, fc.string({ ...size, unit: "grapheme" }));
};

const numbers = ({ whole, least, most }: Extract<Form, { kind: "number" }>): fc.Arbitrary<number> =>
  whole
    ? fc.oneof(
        fc.integer({ min: least, max: most }),
        fc.integer({ min: least, max: Math.min(most, least + 4) }),
      )
    : fc.double({ min: least, max: most, noNaN: true, noDefaultInfinity: true });

const digits = ({ least, most }: Extract<Form, { kind: "digits" }>): fc.Arbitrary<string> =>
  fc
    .tuple(fc.integer({ min: least, max: most }), fc.integer({ min: 0, max: 9 }))
    .map(([number, padded]) => (padded === 0 ? String(number).padStart(6, "0") : String(number)));

const ofForm = (form: Form, words: Words, name: string): fc.Arbitrary<unknown> => {
  switch (form.kind) {
    case "object":
      return ofFields(form.fields, words);
    case "text":
      return texts(form);
    case "number":
      return numbers(form);
    case "digits":
      return digits(form);
    case "flag":
      return fc.boolean();
    case "choice":
      return fc.constantFrom(...form.values);
    case "list":
      return fc.array(ofField(form.element, words, name), { maxLength: Math.min(form.most, 4) });
    case "json":
      return soundJson;
    default:
      throw new Error(`nothing is known of ${name}, and there are no words for it`);
  }
};

const accepts = (schema: z.ZodMiniType, value: unknown): boolean => z.safeParse(schema, value).success;

const TRIED = 200;
const RARELY = 10;

/** The values of an arbitrary that a schema accepts; `null` when those are too few. */
const fitting = (arbitrary: fc.Arbitrary<unknown>, schema: z.ZodMiniType): fc.Arbitrary<unknown> | null => {
  const good = fc.sample(arbitrary, { numRuns: TRIED, seed: 1 }).filter((value) => accepts(schema, value));
  return good.length < RARELY ? null : arbitrary.filter((value) => accepts(schema, value));
};

/** Mostly of the given words, where there are some. */
const ofField = ({ schema, form, nullable }: Field, words: Words, name: string): fc.Arbitrary<unknown> => {
  const own = words[name];
  // What a picture is made of, no schema sees: it is read before.
  if (form.kind === "opaque" && own !== undefined) return own;
  const generic = fitting(ofForm(form, words, name), schema);
  const known = own === undefined ? null : fitting(own, schema);
  const some = [
    ...(known === null ? [] : [{ weight: 5, arbitrary: known }]),
    ...(generic === null ? [] : [{ weight: 1, arbitrary: generic }]),
  ];
  if (some.length === 0) throw new Error(`hardly any value of ${name} fits its schema: it needs words`);
  const values = fc.oneof(...some);
  return nullable
    ? fc.oneof({ weight: 4, arbitrary: values }, { weight: 1, arbitrary: fc.constant(null) })
    : values;
};

/** Objects of these fields, those that may be left out now there and now not. */
export const ofFields = (
  fields: Record<string, Field>,
  words: Words,
): fc.Arbitrary<Record<string, unknown>> => {
  const required = Object.keys(fields).filter((name) => fields[name]?.optional === false);
  const each = Object.entries(fields).map(([name, field]) => [name, ofField(field, words, name)]);
  return fc.record(Object.fromEntries(each), { requiredKeys: required, noNullPrototype: true });
};

/** Two that are one: of a field that both have, the second counts; `undefined` takes it away. */
export const merged = (
  one: Record<string, unknown>,
  other: Record<string, unknown>,
): Record<string, unknown> =>
  Object.fromEntries(Object.entries({ ...one, ...other }).filter(([, value]) => value !== undefined));
