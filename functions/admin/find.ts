/** GET /admin/find/{url_id}: at most ten players, by alias, name, address, tag code or `player_ref`. */
import * as z from "zod/mini";
import { Found, findPlayers } from "../../lib/app/accounts/findPlayers.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { text } from "../../lib/http/textFields.ts";

export const handler = endpoint({
  route: "GET /admin/find/{url_id}",
  access: "moderator",
  request: { query: z.strictObject({ q: z._default(text(1, 60, "line"), "") }) },
  response: { schema: Found },
  run: async (call) => call.respond(await findPlayers(call)),
});
