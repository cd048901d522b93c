/** GET /live/{url_id}: what an open page asks for every 15 seconds, in one call. */
import * as z from "zod/mini";
import { LiveView, live } from "../../lib/app/live.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "GET /live/{url_id}",
  access: "player",
  request: { query: z.strictObject({ after: z.optional(EventId), inbox_after: z.optional(EventId) }) },
  response: { schema: LiveView },
  run: async (call) => call.respond(await live(call)),
});
