/** POST /admin/inject_sql/{url_id}: runs a PartiQL statement; secrets cannot be read. */
import * as z from "zod/mini";
import { makeCursor, readCursor } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

/** DynamoDB's limit. */
const MAX_STATEMENT_LENGTH = 8_192;
/** Each has a question mark in the statement. */
const MAX_PARAMETERS = 1_000;
/** A cursor holds DynamoDB's page token (up to 32 KB) and an item's key (up to 3 KB), encrypted, as base64url. */
const MAX_CURSOR_LENGTH = 48_000;

const InjectSql = z.strictObject({
  statement: z.string().check(z.minLength(1), z.maxLength(MAX_STATEMENT_LENGTH)),
  parameters: z._default(z.array(z.json()).check(z.maxLength(MAX_PARAMETERS)), []),
  limit: z._default(z.int().check(z.minimum(1), z.maximum(1_000)), 100),
  cursor: z.optional(z.string().check(z.maxLength(MAX_CURSOR_LENGTH))),
});

export const handler = endpoint({
  route: "POST /admin/inject_sql/{url_id}",
  access: "administrator",
  request: { body: InjectSql },
  response: {
    schema: z.object({
      items: z.array(z.record(z.string(), z.unknown())),
      next_cursor: z.nullable(z.string()),
    }),
  },
  run: async (call) => {
    // Imported on demand, because validating a statement loads the large table of homoglyphs.
    const { injectSql } = await import("../../lib/app/statements.ts");
    const { statement, parameters, cursor } = call.body;
    const scope = { list: "inject_sql", filters: { statement, parameters: JSON.stringify(parameters) } };
    const readPosition = () => readCursor(call.services, scope, cursor);
    const { items, next } = await injectSql(call, call.body, readPosition);
    return call.respond({ items, next_cursor: await makeCursor(call.services, scope, next) });
  },
});

export const docs: EndpointDocs = {
  summary: "Run a PartiQL statement",
  description:
    "Runs one statement on the table. It cannot read secrets; docs/api.md has the rules. Game masters who play, or have played in this season, see no tag codes, cannot write, and cannot run any while originals are hidden.",
  errors: ["wrong_state"],
  fields: {
    statement: "The statement.",
    parameters: "The values of the `?` placeholders, as JSON.",
    items: "The items that the statement returns.",
  },
  example: {
    body: {
      statement: `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND begins_with(gsi1sk, ?)`,
      parameters: ["b"],
    },
  },
};
