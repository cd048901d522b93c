/** GET /interactions/stats/{url_id}: the counts of the game over time. */
import * as z from "zod/mini";
import { readStatistics } from "../../lib/app/players/statistics.ts";
import { StatisticsPoint, statisticsProse } from "../../lib/http/counts.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

const Statistics = z.object({
  step: z.enum(["hour", "day"]),
  points: z.array(StatisticsPoint),
  infections: z.array(
    z.object({
      /** 0 for zombies whom no player infected; `null` if the hunter is unknown. */
      generation: z.nullable(z.int()),
      count: z.int(),
    }),
  ),
});

export const handler = endpoint({
  route: "GET /interactions/stats/{url_id}",
  access: "player",
  response: { schema: Statistics },
  read: ({ game, now, player, services: { store }, timeLeft }) =>
    readStatistics({ store, game, now, viewer: player, timeLeft }),
});

export const docs: EndpointDocs = {
  summary: "Read the statistics of the game",
  description:
    "The counts over time, by hour or, if the game has lasted longer than two weeks, by day in its time zone: at most the last 400 days.",
  fields: {
    step: "The interval between points.",
    points: "One point per hour or day.",
    ...statisticsProse(),
    infections: "The number of infections by generation.",
    generation: "0 for players whom no other player infected; `null` for tags whose hunter is unknown.",
    count: "The number of infections.",
  },
  example: {},
};
