/** Writes the client's types of requests and responses, from the API document. They are built, and not in git. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../project/root.ts";

/** What the document uses of JSON Schema. */
interface Schema {
  $ref?: string;
  description?: string;
  const?: string;
  enum?: unknown[];
  anyOf?: Schema[];
  type?: string | string[];
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema;
  required?: string[];
}
interface Parameter {
  $ref?: string;
  name: string;
  in: string;
  description?: string;
  required?: boolean;
  schema: Schema;
}
interface Body {
  content?: Record<string, { schema: Schema }>;
  required?: boolean;
}
interface Operation {
  summary: string;
  description: string;
  parameters?: Parameter[];
  requestBody?: Body;
  responses: Record<string, Body>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> };
}

const json = (value: unknown): string => JSON.stringify(value);
const comment = (text = ""): string => (text === "" ? "" : `/** ${text.replaceAll("*/", "*\\/")} */\n`);
const lastPart = (ref: string): string => ref.slice(ref.lastIndexOf("/") + 1);

const objectOf = (fields: readonly string[]): string => `{\n${fields.join("")}}`;
const field = (name: string, isRequired: boolean | undefined, schema: Schema, description?: string): string =>
  `${comment(description)}${json(name)}${isRequired ? "" : "?"}: ${typeOf(schema)};\n`;

const namedType = (type: string | undefined, schema: Schema): string => {
  const { items = {}, properties, additionalProperties: others = {}, required } = schema;
  if (type === "integer") return "number";
  if (type === "array") return `(${typeOf(items)})[]`;
  if (type !== "object") return type ?? "unknown";
  if (properties === undefined) return `Record<string, ${typeOf(others)}>`;
  return objectOf(
    Object.entries(properties).map(([name, one]) =>
      field(name, required?.includes(name), one, one.description),
    ),
  );
};

const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined) return `components["schemas"][${json(lastPart(schema.$ref))}]`;
  if (schema.const !== undefined) return json(schema.const);
  if (schema.enum !== undefined) return schema.enum.map(json).join(" | ");
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(" | ");
  return [schema.type]
    .flat()
    .map((type) => namedType(type, schema))
    .join(" | ");
};

/** The type of the JSON of a body; `Blob` for other content, and `undefined` without content. */
const bodyType = ({ content }: Body): string => {
  if (content === undefined) return "undefined";
  const { "application/json": asJson } = content;
  return asJson === undefined ? "Blob" : typeOf(asJson.schema);
};

/** The parameters in one place, as the type of an object. */
const parametersIn = (place: string, parameters: readonly Parameter[]): string => {
  const inPlace = parameters.filter((one) => one.in === place);
  return objectOf(inPlace.map((one) => field(one.name, one.required, one.schema, one.description)));
};

/** The types of a document, as the text of a module. */
const clientTypes = ({ paths, components }: Document): string => {
  const operation = ([method, { summary, description, ...of }]: [string, Operation]): string => {
    const { requestBody = {}, parameters: given = [] } = of;
    const parameters = given.map((one) =>
      one.$ref === undefined ? one : (components.parameters[lastPart(one.$ref)] ?? one),
    );
    const results = Object.entries(of.responses).filter(([status]) => status.startsWith("2"));
    return `${comment(`${summary}. ${description}`)}${method}: {
      query: ${parametersIn("query", parameters)};
      path: ${parametersIn("path", parameters)};
      headers: ${parametersIn("header", parameters)};
      body: ${bodyType(requestBody)}${requestBody.required ? "" : " | undefined"};
      result: ${results.map(([, response]) => bodyType(response)).join(" | ")};
    };\n`;
  };
  const schemas = Object.entries(components.schemas).map(([name, one]) =>
    field(name, true, one, one.description),
  );
  const all = Object.entries(paths).map(
    ([path, operations]) => `${json(path)}: ${objectOf(Object.entries(operations).map(operation))};\n`,
  );
  return `/** Written by npm run types, from docs/openapi.json. */
export interface components {
schemas: ${objectOf(schemas)};
}
export interface paths ${objectOf(all)}
`;
};

/** Writes client/src/openapi.ts. */
export const writeClientTypes = async (): Promise<void> => {
  const document: Document = JSON.parse(await readFile(join(ROOT, "docs/openapi.json"), "utf8"));
  await writeFile(join(ROOT, "client/src/openapi.ts"), clientTypes(document));
};
