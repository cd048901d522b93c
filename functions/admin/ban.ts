/** POST /admin/ban/{url_id}: bans an alias with its account, or an e-mail address. */
import { BanRequest, BanView, ban } from "../../lib/app/accounts/bans.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /admin/ban/{url_id}",
  access: "administrator",
  request: { body: BanRequest },
  response: { schema: BanView },
  idempotency: { scope: "player" },
  run: (call) => ban(call),
});
