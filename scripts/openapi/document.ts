/** Builds the OpenAPI document from the endpoints' schemas and documentation, and the recorded examples. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type EndpointInfo, type Handler, isForStaff } from "../../lib/http/definition.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { PICTURE_TYPE, PictureBytes, SetPicture } from "../../lib/http/pictures.ts";
import { listedFunctions } from "../project/functions.ts";
import { ROOT } from "../project/root.ts";
import { placeExample } from "./examples.ts";
import { describeField } from "./fields.ts";
import { errorResponses, SHARED } from "./responses.ts";
import { describeSchema, type Json, nameOf, objectAt, ref } from "./schemas.ts";
import { shareEqual, withoutUnused } from "./share.ts";

export interface Documented {
  /** The name of its function, which is its `operationId`. */
  name: string;
  /** The folder of `functions/`. */
  module: string;
  info: EndpointInfo;
  docs: EndpointDocs;
}

/** A request of the examples' game and its response, with placeholders for random values. */
export interface RecordedExample {
  body?: unknown;
  query?: Readonly<Record<string, unknown>>;
  status: number;
  /** `undefined` for an empty response, or a picture. */
  response?: unknown;
}

/** Every endpoint of the API, in the order of the `functions.yml`. @throws Error for one without documentation */
export const documentedEndpoints = async (): Promise<Documented[]> => {
  const endpoints: Documented[] = [];
  for (const { name, file, route, isPage } of listedFunctions()) {
    if (route === undefined || isPage) continue;
    const loaded: { handler: Handler; docs?: EndpointDocs } = await import(
      pathToFileURL(join(ROOT, file)).href
    );
    if (loaded.docs === undefined) {
      throw new Error(`${file} exports no "docs". CONTRIBUTING.md explains how to document an endpoint.`);
    }
    endpoints.push({
      name,
      module: file.split("/")[1] ?? "",
      info: loaded.handler.endpoint,
      docs: loaded.docs,
    });
  }
  return endpoints;
};

/** The tags, by module, in the order of the document. */
export const TAGS: Readonly<Record<string, { name: string; description: string }>> = {
  player: { name: "Accounts", description: "Players, sessions, pictures, and the state of the game." },
  zombie: { name: "Zombies", description: "Hunting and hunger." },
  interactions: { name: "Interactions", description: "What has happened in the game." },
  notifications: { name: "Notifications", description: "Web Push and messages. Errors are plain text here." },
  admin: { name: "Game masters", description: "Commands and lists of those who run the game." },
  docs: { name: "Documents", description: "This document, and its pages." },
};

const DESCRIPTION = `The backend of Humans vs Zombies.

Register with \`/new\`, log in with \`/login\`, and send the token as \`Authorization: Bearer\`. \`{url_id}\` is the id of the calling player, or \`me\`.

- **Times** are RFC 3339 in UTC; durations are whole seconds. **Unknown keys** are errors.
- **Errors** are \`application/problem+json\` with a \`code\`; those of notifications are plain text.
- **Retries**: a request that changes the game accepts an \`Idempotency-Key\`. Wait as long as \`Retry-After\` says.
- **Caching**: every response of a GET has an \`ETag\`. With \`If-None-Match\`, an unchanged response is 304.
- **HEAD**: a path whose GET needs no token also takes HEAD, with the same status and headers and no body.
- **The gateway** answers some requests itself, with \`{"message": "…"}\` and without \`x-request-id\`: 404, 413, 429, 500 and 503.

docs/api.md has the whole reference.`;

const JSON_TYPE = "application/json";

/** Adds the reason that commands of game masters take. */
const withReason = (schema: Json): Json => ({
  ...schema,
  properties: {
    ...(typeof schema.properties === "object" ? schema.properties : {}),
    reason: { type: "string", minLength: 1, maxLength: 280, description: "Why, for the log and the player." },
  },
});

const NO_BODY: Json = { type: "object", properties: {}, additionalProperties: false };

/** By default, an operation needs the token of a player; `x-access` names the role that it needs otherwise. */
const SECURITY = [{ token: [] }, { session: [] }];

const securityOf = ({ access }: EndpointInfo, { takesToken }: EndpointDocs): Json => {
  if (access === "public" && takesToken !== true) return { security: [] };
  if (access === "visitor") return { security: [...SECURITY, {}] };
  return isForStaff(access) ? { "x-access": access } : {};
};

class Builder {
  readonly paths: Record<string, Json> = {};
  schemas: Record<string, Json> = {};
  readonly responses: Record<string, Json> = {};

  add({ name, module, info, docs }: Documented, example: RecordedExample | undefined): void {
    const [method = "", path = ""] = info.route.split(" ");
    const operation = {
      operationId: name,
      tags: [TAGS[module]?.name ?? module],
      summary: docs.summary,
      description: docs.description,
      ...securityOf(info, docs),
      ...this.parameters(info, docs, example),
      ...this.requestBody(info, docs, example),
      responses: this.allResponses(info, docs),
    };
    this.paths[path] = { ...this.paths[path], [method.toLowerCase()]: operation };
  }

  private schema(
    ...[schema, io, docs, route]: [
      Parameters<typeof describeSchema>[0],
      "input" | "output",
      EndpointDocs,
      string,
    ]
  ): Json {
    const described = describeSchema(schema, io, docs.fields ?? {}, route);
    // A structure of requests and responses is described as in requests, where other keys are errors.
    this.schemas =
      io === "input"
        ? { ...this.schemas, ...described.components }
        : { ...described.components, ...this.schemas };
    return described.schema;
  }

  private parameters(info: EndpointInfo, docs: EndpointDocs, example: RecordedExample | undefined): Json {
    const { route, request, isIdempotent } = info;
    const query = request.query === undefined ? NO_BODY : this.schema(request.query, "output", docs, route);
    const required = Array.isArray(query.required) ? query.required : [];
    const fields = Object.entries(query.properties ?? {}).map(([name, { description, ...schema }]) => {
      const given = example?.query?.[name];
      return {
        name,
        in: "query",
        description,
        ...(required.includes(name) && schema.default === undefined ? { required: true } : {}),
        schema,
        ...(given === undefined ? {} : { example: given }),
      };
    });
    const parameters = [
      ...(route.includes("{url_id}") ? [ref("parameters", "url_id")] : []),
      ...[...route.matchAll(/\{(\w+)\}/g)].flatMap(([, name = ""]) =>
        name === "url_id"
          ? []
          : [
              {
                name,
                in: "path",
                required: true,
                description: describeField(name, docs.fields ?? {}, route),
                schema: { type: "string" },
              },
            ],
      ),
      ...(isIdempotent ? [ref("parameters", "IdempotencyKey")] : []),
      ...fields,
    ];
    return parameters.length === 0 ? {} : { parameters };
  }

  private requestBody(info: EndpointInfo, docs: EndpointDocs, example: RecordedExample | undefined): Json {
    const { route, request, takesReason } = info;
    if (!route.startsWith("POST ") || (request.body === undefined && !takesReason)) return {};
    const own = request.body === undefined ? NO_BODY : this.schema(request.body, "input", docs, route);
    const schema = takesReason ? this.bodyWithReason(own) : own;
    const isRequired =
      Array.isArray(this.resolved(own).required) || request.body?.safeParse({}).success === false;
    const json = {
      [JSON_TYPE]: { schema, ...(example?.body === undefined ? {} : { example: example.body }) },
    };
    const bytes = { "application/octet-stream": {}, "image/*": {} };
    const content = request.body === SetPicture ? { ...json, ...bytes } : json;
    return { requestBody: { ...(isRequired ? { required: true } : {}), content } };
  }

  /** Returns a body with the reason. It is a structure of its own if the body is a named structure or has no field. */
  private bodyWithReason(own: Json): Json {
    const schema = withReason(this.resolved(own));
    const name = own === NO_BODY ? "Reason" : own.$ref === undefined ? null : `${nameOf(own)}AndReason`;
    if (name === null) return schema;
    this.schemas[name] = schema;
    return ref("schemas", name);
  }

  private resolved(schema: Json): Json {
    return this.schemas[nameOf(schema) ?? ""] ?? schema;
  }

  private allResponses(info: EndpointInfo, docs: EndpointDocs): Json {
    const { route, response } = info;
    const isRead = route.startsWith("GET ");
    const errors = errorResponses(info, docs, this.responses);
    const success: Record<string, Json> = {};
    const statuses = docs.success ?? { [response.status]: "Success." };
    for (const [status, description] of Object.entries(statuses)) {
      success[status] = { description, ...this.content(Number(status), info, docs) };
    }
    if (isRead) success[304] = ref("responses", "Unchanged");
    return { ...success, ...errors };
  }

  private content(status: number, info: EndpointInfo, docs: EndpointDocs): Json {
    const { route, response } = info;
    if (status === 204) return {};
    if (response.schema === PictureBytes) return { content: { [PICTURE_TYPE]: {} } };
    if (docs.mediaType !== undefined)
      return { content: { [docs.mediaType]: { schema: { type: "string" } } } };
    const schema =
      response.schema === null
        ? { type: "object", properties: { complete: { const: false, description: docs.fields?.complete } } }
        : this.schema(response.schema, "output", docs, route);
    return { content: { [JSON_TYPE]: { schema } } };
  }
}

const sorted = (entries: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(entries).toSorted(([one], [other]) => (one < other ? -1 : 1)));

const merged = (shared: unknown, own: Record<string, Json>): Json =>
  sorted({ ...(typeof shared === "object" ? shared : {}), ...own });

/** Builds the document. @param examples by route */
export const buildDocument = (
  endpoints: readonly Documented[],
  examples: ReadonlyMap<string, RecordedExample>,
  version: string,
): Json => {
  const builder = new Builder();
  const modules = Object.keys(TAGS);
  const inOrder = endpoints.toSorted(
    (one, other) => modules.indexOf(one.module) - modules.indexOf(other.module),
  );
  for (const endpoint of inOrder) builder.add(endpoint, examples.get(endpoint.info.route));
  const document: Json = {
    openapi: "3.1.1",
    info: {
      title: "Humans vs Zombies",
      version,
      summary: "The backend of the campus game.",
      description: DESCRIPTION,
      license: { name: "MIT", identifier: "MIT" },
      contact: { name: "The game masters of your club" },
    },
    servers: [{ url: "/", description: "The service that serves this document." }],
    security: SECURITY,
    tags: Object.values(TAGS),
    paths: builder.paths,
    components: {
      ...SHARED,
      schemas: merged(SHARED.schemas, builder.schemas),
      responses: merged(SHARED.responses, builder.responses),
    },
  };
  const shared = withoutUnused(shareEqual(shareEqual(document, "schemas"), "parameters"));
  for (const { info } of inOrder) {
    const { status, response } = examples.get(info.route) ?? {};
    const [method = "", path = ""] = info.route.split(" ");
    const steps = ["paths", path, method.toLowerCase(), "responses", String(status), "content", JSON_TYPE];
    placeExample(objectAt(shared, ...steps), response, objectAt(shared, "components", "schemas"));
  }
  return shared;
};
