/** A simple description of a zod schema, from which valid and invalid values are made. */
import * as z from "zod/mini";
import type { $ZodTypes } from "zod/v4/core";

interface Bounds {
  least: number;
  most: number;
}

/** A part of a request as its schema describes it. */
export type Form =
  | { kind: "object"; fields: Record<string, Field> }
  | ({ kind: "text"; pattern: RegExp | null } & Bounds)
  | ({ kind: "number"; whole: boolean } & Bounds)
  /** An integer written as text, as in a query. */
  | ({ kind: "digits" } & Bounds)
  | { kind: "flag" }
  | { kind: "choice"; values: readonly unknown[] }
  | { kind: "list"; element: Field; most: number }
  | { kind: "json" }
  /** A field whose schema says nothing; its values are in words.ts. */
  | { kind: "opaque" };

/** A form, its schema, and whether the field may be absent or `null`. */
export interface Field {
  schema: z.ZodMiniType;
  form: Form;
  optional: boolean;
  nullable: boolean;
}

const SAFE = Number.MAX_SAFE_INTEGER;

const formOf = (schema: $ZodTypes): Form => {
  const { def } = schema._zod;
  // A union is any JSON, which contains itself.
  if (def.type === "union") return { kind: "json" };
  if (def.type === "object") {
    const fields = Object.entries(def.shape).map(([name, inner]) => [name, fieldOf(inner)]);
    return { kind: "object", fields: Object.fromEntries(fields) };
  }
  const asJson = (io: "input" | "output") => z.toJSONSchema(schema, { io, unrepresentable: "any" });
  const json = asJson("input");
  if (json.enum !== undefined) return { kind: "choice", values: json.enum };
  if (json.const !== undefined) return { kind: "choice", values: [json.const] };
  if (def.type === "array")
    return { kind: "list", element: fieldOf(def.element), most: json.maxItems ?? SAFE };
  switch (json.type) {
    case "boolean":
      return { kind: "flag" };
    case "number":
    case "integer": {
      const bounds = { least: json.minimum ?? -SAFE, most: json.maximum ?? SAFE };
      return { kind: "number", whole: json.type === "integer", ...bounds };
    }
    case "string": {
      const { type, minimum = -SAFE, maximum = SAFE } = asJson("output");
      if (type === "integer") return { kind: "digits", least: minimum, most: maximum };
      const pattern = json.pattern === undefined ? null : new RegExp(json.pattern);
      const bounds = { least: json.minLength ?? 0, most: json.maxLength ?? Number.POSITIVE_INFINITY };
      return { kind: "text", pattern, ...bounds };
    }
    default:
      return { kind: "opaque" };
  }
};

/** Describes a field by its schema. */
const fieldOf = (schema: unknown): Field => {
  // Every schema is one of zod's own types, which the mini types do not declare.
  let inner = schema as $ZodTypes;
  let optional = false;
  let nullable = false;
  for (;;) {
    const { def } = inner._zod;
    if (def.type === "lazy") {
      inner = def.getter() as $ZodTypes;
      continue;
    }
    if (def.type === "optional" || def.type === "default") optional = true;
    else if (def.type === "nullable") nullable = true;
    else return { schema: schema as z.ZodMiniType, form: formOf(inner), optional, nullable };
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
