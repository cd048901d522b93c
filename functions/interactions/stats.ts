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
  summary: "Read the statistics of the game",
  description:
    "The counts over time, by hour or, if the game has lasted longer than two weeks, by day in its time zone: at most the last 400 days.",
  fields: {
    step: "The interval between points.",
    points: "One point per hour or day.",
    from: "When the interval begins.",
    humans: "The number of humans at the end of the interval, or now.",
    zombies: "The number of living zombies.",
    corpses: "The number of corpses.",
    hunts: "The number of hunts in the interval.",
    infections: "The number of infections by generation.",
    generation: "0 for players whom no other player infected; `null` for tags whose hunter is unknown.",
    count: "The number of infections.",
  },
  example: {},
};
