/** GET /player/{url_id}: reads the player's own data. */
import { showPlayer } from "../../lib/app/lookups.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /player/{url_id}",
  access: "player",
  response: { schema: PlayerReturnInfo },
  read: ({ services, player, game, now }) => showPlayer(services.store, player, game, now),
});

export const docs: EndpointDocs = {
  summary: "Read your player",
  description: "All data of the player, including a human's tag code.",
  example: {},
};
