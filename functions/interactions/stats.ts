/** GET /interactions/stats/{url_id}: the game over time. */
import { readStatistics, Statistics } from "../../lib/app/statistics.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /interactions/stats/{url_id}",
  access: "player",
  response: { schema: Statistics },
  run: async (call) => call.respond(await readStatistics(call)),
});
