/** POST /admin/inject_sql/{url_id}: runs one PartiQL statement that reads no secret. */
import * as z from "zod/mini";
import { endpoint } from "../../lib/http/endpoint.ts";
import { InjectSql, injectSql } from "../../lib/http/injectSql.ts";

export const handler = endpoint({
  route: "POST /admin/inject_sql/{url_id}",
  access: "administrator",
  body: InjectSql,
  answer: z.object({
    items: z.array(z.record(z.string(), z.unknown())),
    next_cursor: z.nullable(z.string()),
  }),
  run: async (call) => call.answer(await injectSql(call)),
});
