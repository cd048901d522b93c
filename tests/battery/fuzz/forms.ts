/** A simple description of a zod schema, from which values are made and spoilt. */
import type * as z from "zod/mini";
import type { $ZodTypes } from "zod/v4/core";

/** A part of a request as its schema describes it. */
export type Form =
  | { kind: "object"; fields: Record<string, Field> }
  | {
      kind: "text";
      least: number;
      most: number;
      format: string | null;
      pattern: RegExp | null;
      version: number;
    }
  | { kind: "number"; whole: boolean; least: number; most: number }
  /** A whole number that is written as a text, as in a query. */
  | { kind: "digits"; least: number; most: number }
  | { kind: "flag" }
  | { kind: "choice"; values: readonly unknown[] }
  | { kind: "list"; element: Field; most: number }
  | { kind: "json" }
  /** What no schema describes: only words for it are of use. */
  | { kind: "opaque" };

/** A form, the schema that it is of, and whether it may be left out or `null`. */
export interface Field {
  schema: z.ZodMiniType;
  form: Form;
  optional: boolean;
  nullable: boolean;
}

type Text = Extract<Form, { kind: "text" }>;

const SAFE = Number.MAX_SAFE_INTEGER;

const property = (thing: unknown, name: string): unknown =>
  typeof thing === "object" && thing !== null ? Reflect.get(thing, name) : undefined;

const numberIn = (thing: unknown, name: string, otherwise: number): number => {
  const value = property(thing, name);
  return typeof value === "number" ? value : otherwise;
};

/** The definitions of a schema's checks, and its own where it is a check itself (a format of texts). */
const checksOf = (def: $ZodTypes["_zod"]["def"]): unknown[] => [
  ...("check" in def ? [def] : []),
  ...(def.checks ?? []).map((check) => check._zod.def),
];

const textForm = (def: $ZodTypes["_zod"]["def"]): Text => {
  const form: Text = {
    kind: "text",
    least: 0,
    most: Number.POSITIVE_INFINITY,
    format: null,
    pattern: null,
    version: 0,
  };
  for (const check of checksOf(def)) {
    form.least = numberIn(check, "minimum", form.least);
    form.most = numberIn(check, "maximum", form.most);
    const format = property(check, "format");
    const pattern = property(check, "pattern");
    if (typeof format === "string") form.format = format;
    if (format === "regex" && pattern instanceof RegExp) form.pattern = pattern;
    form.version = Number(String(property(check, "version") ?? "").slice(1)) || form.version;
  }
  return form;
};

const bounds = (def: $ZodTypes["_zod"]["def"]): { whole: boolean; least: number; most: number } => {
  const found = { whole: false, least: -SAFE, most: SAFE };
  for (const check of checksOf(def)) {
    const kind = property(check, "check");
    if (kind === "greater_than") found.least = numberIn(check, "value", found.least);
    if (kind === "less_than") found.most = numberIn(check, "value", found.most);
    if (property(check, "format") === "safeint") found.whole = true;
  }
  return found;
};

/** The number that a text is read as at the end of its pipe; `null` where it stays a text. */
const numberAtTheEnd = (schema: $ZodTypes): { least: number; most: number } | null => {
  const late = madeLate(schema);
  if (late !== null) return numberAtTheEnd(late);
  const { def } = schema._zod;
  if (def.type === "number") return bounds(def);
  return def.type === "pipe" ? numberAtTheEnd(def.out as $ZodTypes) : null;
};

const formOf = (schema: $ZodTypes): Form => {
  const late = madeLate(schema);
  if (late !== null) return formOf(late);
  const { def } = schema._zod;
  switch (def.type) {
    case "object": {
      const fields = Object.entries(def.shape).map(([name, inner]) => [
        name,
        fieldOf(inner as z.ZodMiniType),
      ]);
      return { kind: "object", fields: Object.fromEntries(fields) };
    }
    case "string":
      return textForm(def);
    case "number":
      return { kind: "number", ...bounds(def) };
    case "boolean":
      return { kind: "flag" };
    case "enum":
      return { kind: "choice", values: Object.values(def.entries) };
    case "literal":
      return { kind: "choice", values: def.values };
    case "array": {
      const most = Math.min(...checksOf(def).map((check) => numberIn(check, "maximum", SAFE)), SAFE);
      return { kind: "list", element: fieldOf(def.element as z.ZodMiniType), most };
    }
    case "lazy":
      return { kind: "json" };
    case "pipe": {
      const number = numberAtTheEnd(schema);
      return number === null ? formOf(def.in as $ZodTypes) : { kind: "digits", ...number };
    }
    default:
      return { kind: "opaque" };
  }
};

/** The schema that a lazy one resolves to; `null` for any other, and for any JSON. */
const madeLate = (schema: $ZodTypes): $ZodTypes | null => {
  const { def } = schema._zod;
  if (def.type !== "lazy") return null;
  const made = def.getter() as $ZodTypes;
  return made._zod.def.type === "union" ? null : made;
};

/** Describes a field by its schema. */
export const fieldOf = (schema: z.ZodMiniType): Field => {
  // Every schema is one of zod's own types, which the mini types do not declare.
  let inner = schema as unknown as $ZodTypes;
  let optional = false;
  let nullable = false;
  for (;;) {
    inner = madeLate(inner) ?? inner;
    const { def } = inner._zod;
    if (def.type === "optional" || def.type === "default") optional = true;
    else if (def.type === "nullable") nullable = true;
    else return { schema, form: formOf(inner), optional, nullable };
    inner = def.innerType as $ZodTypes;
  }
};

/** The fields of an object's schema; none without a schema. */
export const fieldsOf = (schema: z.ZodMiniType | undefined): Record<string, Field> => {
  if (schema === undefined) return {};
  const { form } = fieldOf(schema);
  if (form.kind !== "object") throw new Error(`a request is an object, and not ${form.kind}`);
  return form.fields;
};
