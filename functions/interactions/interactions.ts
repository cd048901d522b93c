/** GET /interactions/{url_id}: lists the events of the game, newest first. */
import { Interactions, InteractionsQuery, listInteractions } from "../../lib/app/listInteractions.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /interactions/{url_id}",
  access: "player",
  request: { query: InteractionsQuery },
  response: { schema: Interactions },
  run: async (call) => call.respond(await listInteractions(call)),
});

export const docs: EndpointDocs = {
  summary: "List events",
  description:
    "The events of the game, newest first. A page of one player's events may have fewer items than `limit` and still have a `next_cursor`.",
  errors: ["not_administrator"],
  fields: {
    interactions: "A page of events.",
    kind: "Only events of this kind.",
    after: "Only events later than the one with this id.",
    player: "Only events with this player as actor or target: `me`, an alias or a `player_ref`.",
    target: "Like `player`, but only as the target; for game masters.",
    actor: "Like `player`, but only as the actor; for game masters.",
  },
  example: { query: { limit: 1, kind: "hunt" } },
};
