/** GET /game/{url_id}: the state of the whole game. */
import * as z from "zod/mini";
import { SCHEDULE_FIELDS, scheduleView } from "../../lib/app/game/settings.ts";
import { rfc3339, SECOND } from "../../lib/domain/time.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { CheckpointView, CountsView, Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /game/{url_id}",
  access: "player",
  response: {
    schema: z.object({
      now: Timestamp,
      ...SCHEDULE_FIELDS,
      paused: z.boolean(),
      paused_since: z.nullable(Timestamp),
      feeding_period_seconds: z.number(),
      checkpoint: z.nullable(CheckpointView),
      counts: CountsView,
    }),
  },
  run: async (call) => {
    const { game, now, services } = call;
    return call.respond({
      now: rfc3339(now),
      ...scheduleView(game, now),
      paused: game.paused_at !== null,
      paused_since: game.paused_at === null ? null : rfc3339(game.paused_at),
      feeding_period_seconds: services.feedingPeriod(game) / SECOND,
      checkpoint: game.checkpoint,
      counts: await services.store.counts(game, now),
    });
  },
});

export const docs: EndpointDocs = {
  summary: "Read the state of the game",
  description: "The phase and the schedule, the checkpoint, and how many players are in each state.",
  fields: {
    now: "The clock of the service.",
    paused: "Whether the game is paused.",
    paused_since: "Since when it is paused.",
    feeding_period_seconds: "The play time for which a feeding lasts, in seconds.",
  },
  example: {},
};
