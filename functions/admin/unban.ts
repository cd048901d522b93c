/** POST /admin/unban/{url_id}: lifts a ban. */
import { UnbanRequest, UnbanResponse, unban } from "../../lib/app/accounts/bans.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/unban/{url_id}",
  access: "administrator",
  request: { body: UnbanRequest },
  response: { schema: UnbanResponse },
  idempotency: { scope: "player" },
  run: (call) => unban(call),
});
