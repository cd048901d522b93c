/** POST /admin/inject_sql/{url_id}: runs one PartiQL statement that reads no secret. */
import * as z from "zod/mini";
import { endpoint } from "../../lib/http/endpoint.ts";

/** As long as the database takes one. */
const MOST_STATEMENT = 8_192;
/** The database's own mark of a page may have 32 KB, and is a third longer in a cursor. */
const MOST_CURSOR = 48_000;

const InjectSql = z.strictObject({
  statement: z.string().check(z.minLength(1), z.maxLength(MOST_STATEMENT)),
  parameters: z._default(z.array(z.json()), []),
  limit: z._default(z.int().check(z.minimum(1), z.maximum(1_000)), 100),
  cursor: z.optional(z.string().check(z.maxLength(MOST_CURSOR))),
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
    // Judging a statement takes the table of look-alikes, which is large: whoever is refused at the door needs none.
    const { injectSql } = await import("../../lib/app/statements.ts");
    return call.respond(await injectSql(call));
  },
});
