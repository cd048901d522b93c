/** GET /admin/player_count/{url_id}: the number of players in each state. */
import { endpoint } from "../../lib/http/endpoint.ts";
import { CountsView } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /admin/player_count/{url_id}",
  access: "administrator",
  response: { schema: CountsView },
  run: async (call) => call.respond(await call.services.store.counts(call.game, call.now)),
});
