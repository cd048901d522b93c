/** GET /interactions/stats/{url_id}: the counts of the game over time. */
import { readStatistics, Statistics } from "../../lib/app/statistics.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /interactions/stats/{url_id}",
  access: "player",
  response: { schema: Statistics },
  run: async ({ game, now, player, respond, services: { store }, timeLeft }) =>
    respond(await readStatistics({ store, game, now, viewer: player, timeLeft })),
});

export const docs: EndpointDocs = {
  summary: "Read the game over time",
  description: "By the hour, or by the day if the game has lasted longer than two weeks, in its time zone.",
  fields: {
    step: "What a point stands for.",
    points: "The hours or days.",
    from: "When it begins.",
    humans: "How many humans there were at its end, or now.",
    zombies: "How many living zombies.",
    corpses: "How many corpses.",
    hunts: "How many hunts happened in it.",
    infections: "How many infections there were, by generation.",
    generation: "0 for those whom no player infected; `null` for tags whose hunter is not known.",
    count: "How many.",
  },
  example: {},
};
