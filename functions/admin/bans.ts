/** GET /admin/bans/{url_id}: all bans. */
import * as z from "zod/mini";
import { BanView, listBans } from "../../lib/app/accounts/bans.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /admin/bans/{url_id}",
  access: "administrator",
  response: { schema: z.object({ bans: z.array(BanView) }) },
  run: async (call) => call.respond(await listBans(call.services.store)),
});
