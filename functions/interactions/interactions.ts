/** GET /interactions/{url_id}: the history of the game, newest first. */
import { Interactions, InteractionsQuery, listInteractions } from "../../lib/app/listInteractions.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /interactions/{url_id}",
  access: "player",
  request: { query: InteractionsQuery },
  response: { schema: Interactions },
  run: async (call) => call.respond(await listInteractions(call)),
});
