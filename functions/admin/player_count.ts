/** GET /admin/player_count/{url_id}: counts the players in each state. */
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { CountsView } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /admin/player_count/{url_id}",
  access: "administrator",
  response: { schema: CountsView },
  run: async (call) => call.respond(await call.services.store.counts(call.game, call.now)),
});

export const docs: EndpointDocs = {
  summary: "Count the players in each state",
  description: "Zombies count as corpses from the moment they starve.",
  example: {},
};
