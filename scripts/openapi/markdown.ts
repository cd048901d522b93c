/** The generated parts of docs/api.md: endpoints by module, structures, settings and error codes. */
import { MEANINGS } from "../../lib/domain/errorMeanings.ts";
import { isForStaff } from "../../lib/http/definition.ts";
import { STATUS } from "../../lib/http/statuses.ts";
import type { Documented } from "./document.ts";
import { rateLimitTable } from "./rateLimits.ts";
import { errorsOf } from "./responses.ts";
import { isObject, isStructure, type Json, nameOf, objectAt } from "./schemas.ts";

/** A part that is generated, by its name: between `<!-- name -->` and `<!-- end of name -->`. */
type Parts = Readonly<Record<string, string>>;

class Writer {
  private readonly document: Json;

  constructor(document: Json) {
    this.document = document;
  }

  private schemas(): Json {
    return objectAt(this.document.components, "schemas");
  }

  /** A schema, or the component that it refers to; structures, whose names begin with a capital, have a section. */
  private resolve(schema: Json): { schema: Json; structure: string | null } {
    const name = nameOf(schema);
    if (name === null) return { schema, structure: null };
    return { schema: objectAt(this.schemas(), name), structure: isStructure(name) ? name : null };
  }

  private typeOf(given: Json): string {
    const { schema, structure } = this.resolve(given);
    if (structure !== null) return `[${structure}](#${structure.toLowerCase()})`;
    if (Array.isArray(schema.anyOf)) {
      return schema.anyOf.map((one) => (isObject(one) ? this.typeOf(one) : "")).join(" or ");
    }
    if (schema.const !== undefined) return `\`${schema.const}\``;
    if (Array.isArray(schema.enum)) {
      return schema.enum.map((value) => `\`${value}\``).join(", ");
    }
    const types = Array.isArray(schema.type) ? schema.type : [schema.type];
    const named = types.map((type) => (type === "null" ? "`null`" : this.namedType(schema, type)));
    return named.join(" or ");
  }

  private namedType(schema: Json, type: unknown): string {
    const { minimum: min, maximum: max, minLength, maxLength, maxItems, format } = schema;
    const range = (least: unknown, most: unknown, unit: string): string =>
      most === undefined ? "" : `, ${least === undefined ? "at most" : `${least} to`} ${most}${unit}`;
    switch (type) {
      case "string":
        if (format === "date-time") return "time";
        if (format === "uuid") return "id";
        return `text${range(minLength, maxLength, " characters")}`;
      case "integer":
        return `whole number${range(min, max, "")}`;
      case "number":
        return `number${range(min, max, "")}`;
      case "boolean":
        return "true or false";
      case "array":
        return `list${range(undefined, maxItems, "")} of ${isObject(schema.items) ? this.typeOf(schema.items) : "pairs"}`;
      case "object":
        return "object";
      default:
        return "any JSON";
    }
  }

  /** The rows of an object's fields; those of an inner object follow, under the name of their field. */
  private rows(given: Json, prefix = ""): string[] {
    const { schema } = this.resolve(given);
    const required = Array.isArray(schema.required) ? schema.required : [];
    return Object.entries(objectAt(schema, "properties")).flatMap(([name, inner]) => {
      if (!isObject(inner)) return [];
      const { schema: field, structure } = this.resolve(inner);
      const usual = field.default === undefined ? "" : `; \`${JSON.stringify(field.default)}\` by default`;
      const path = `${prefix}${name}`;
      const mark = required.includes(name) ? "" : "?";
      const text = String(inner.description ?? field.description ?? "").replaceAll("|", "\\|");
      const row = `| \`${path}${mark}\` | ${this.typeOf(inner)}${usual} | ${text} |`;
      const items = objectAt(field, "items");
      const listed = this.resolve(items).structure === null ? this.rows(items, `${path}[].`) : [];
      return [row, ...(structure === null ? [...this.rows(field, `${path}.`), ...listed] : [])];
    });
  }

  private table(title: string, rows: readonly string[]): string[] {
    return rows.length === 0 ? [] : [`| ${title} | | |`, "|---|---|---|", ...rows, ""];
  }

  /** A body or response: the name of its structure, or otherwise its fields. */
  private content(title: string, schema: Json): string[] {
    const { structure } = this.resolve(schema);
    if (structure !== null) return [`${title}: ${this.typeOf(schema)}.`, ""];
    const rows = this.rows(schema);
    if (rows.length > 0) return this.table(title, rows);
    return schema.anyOf === undefined ? [] : [`${title}: ${this.typeOf(schema)}.`, ""];
  }

  endpoint({ info, docs }: Documented): string {
    const { route, access, isIdempotent } = info;
    const [method = "", path = ""] = route.split(" ");
    const operation = objectAt(objectAt(this.document.paths, path), method.toLowerCase());
    const parameters = Array.isArray(operation.parameters) ? operation.parameters : [];
    const shared = objectAt(this.document.components, "parameters");
    const query = parameters
      .filter(isObject)
      .map((one) => (nameOf(one) === null ? one : objectAt(shared, String(nameOf(one)))))
      .filter((one) => one.in === "query");
    const queryRows = query.map(({ name, schema, required, description }) => {
      const usual =
        isObject(schema) && schema.default !== undefined ? `; \`${schema.default}\` by default` : "";
      const type = isObject(schema) ? this.typeOf(schema) : "";
      return `| \`${name}${required === true ? "" : "?"}\` | ${type}${usual} | ${description} |`;
    });
    const json = (of: Json): Json =>
      objectAt(objectAt(objectAt(of, "content"), "application/json"), "schema");
    const success = Object.entries(objectAt(operation, "responses")).filter(([status]) => /^2/.test(status));
    const who = {
      public: "Anybody",
      visitor: "Players, and anybody while `public_board` is on",
      player: "Players",
      moderator: "Moderators",
      administrator: "Administrators",
    };
    const own = [...errorsOf(info, docs)].flatMap(([status, codes]) =>
      codes.filter((code) => docs.errors?.some((one) => one === code)).map((code) => `${status} \`${code}\``),
    );
    return [
      `#### ${route}`,
      "",
      `${docs.summary}. ${docs.description}`,
      "",
      `${who[access]}${isIdempotent ? "; accepts an `Idempotency-Key`" : ""}.${own.length === 0 ? "" : ` Errors of its own: ${own.join(", ")}.`}`,
      "",
      ...this.table("query", queryRows),
      ...this.content("body", json(objectAt(operation, "requestBody"))),
      ...success.flatMap(([status, response]) => {
        const texts = isObject(response) ? this.content(String(status), json(response)) : [];
        const { description } = isObject(response) ? response : {};
        const said = description === "Success." ? [] : [`${status}: ${description}`, ""];
        return texts.length === 0 && said.length === 0 ? [`${status}.`, ""] : [...said, ...texts];
      }),
    ].join("\n");
  }

  structures(): string {
    return Object.entries(this.schemas())
      .filter(([name]) => isStructure(name) && name !== "ErrorText")
      .flatMap(([name, schema]) => {
        if (!isObject(schema)) return [];
        const rows = this.rows(schema);
        if (rows.length > 0) return [`#### ${name}`, "", ...this.table("field", rows)];
        const { enum: keys } = objectAt(schema, "propertyNames");
        if (!Array.isArray(keys)) return [];
        const each = this.typeOf(objectAt(schema, "additionalProperties"));
        return [
          `#### ${name}`,
          "",
          `Any of ${keys.map((key) => `\`${key}\``).join(", ")}, each: ${each}.`,
          "",
        ];
      })
      .join("\n");
  }
}

const errorTable = (): string =>
  [
    "| status | code | meaning |",
    "|---|---|---|",
    ...Object.entries({ ...STATUS, internal: 500 })
      .toSorted(([, one], [, other]) => one - other)
      .map(
        ([code, status]) =>
          `| ${status} | \`${code}\` | ${Object.entries(MEANINGS).find(([one]) => one === code)?.[1]} |`,
      ),
    "",
  ].join("\n");

const endpointTable = (endpoints: readonly Documented[]): string =>
  [
    "| endpoint | |",
    "|---|---|",
    ...endpoints.map(({ info, docs }) => {
      const anchor = info.route
        .toLowerCase()
        .replaceAll(/[^a-z0-9_ -]/g, "")
        .replaceAll(" ", "-");
      const who = isForStaff(info.access) ? ` (${info.access})` : "";
      return `| [${info.route}](#${anchor}) | ${docs.summary}${who} |`;
    }),
    "",
  ].join("\n");

/** The generated parts. @param document as built from these endpoints */
export const generatedParts = (endpoints: readonly Documented[], document: Json): Parts => {
  const writer = new Writer(document);
  const modules = Map.groupBy(endpoints, ({ module }) => module);
  return {
    errors: errorTable(),
    "rate limits": rateLimitTable(),
    structures: writer.structures(),
    ...Object.fromEntries(
      [...modules].map(([module, some]) => [
        `endpoints of ${module}`,
        `${endpointTable(some)}\n${some.map((one) => writer.endpoint(one)).join("\n")}`,
      ]),
    ),
  };
};

/** Replaces the generated parts of a text. @throws Error for a part that the text does not have */
export const withParts = (text: string, parts: Parts): string => {
  let result = text;
  for (const [name, part] of Object.entries(parts)) {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const [from, to] = [result.indexOf(begin), result.indexOf(end)];
    if (from < 0 || to < from) throw new Error(`There is no part ${begin} … ${end}`);
    result = `${result.slice(0, from + begin.length)}\n\n${part.trim()}\n\n${result.slice(to)}`;
  }
  return result;
};
