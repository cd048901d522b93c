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
  summary: "List what has happened",
  description:
    "The events of the game, newest first. A page of one player's events may be short, and have a `next_cursor` all the same.",
  errors: ["not_administrator"],
  fields: {
    interactions: "A page of events.",
    kind: "Only events of this kind.",
    after: "Only events later than the one with this id.",
    player: "Only what this player did or suffered: `me`, an alias or a `player_ref`.",
    target: "The same, only what they suffered; for game masters.",
    actor: "The same, only what they did; for game masters.",
  },
  example: { query: { limit: 1, kind: "hunt" } },
};
