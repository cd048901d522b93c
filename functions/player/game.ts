/** GET /game/{url_id}: the state of the whole game. */
import * as z from "zod/mini";
import { SCHEDULE_FIELDS, scheduleView } from "../../lib/app/game/settings.ts";
import { rfc3339, SECOND } from "../../lib/domain/time.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { CheckpointView, CountsView, Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /game/{url_id}",
  access: "player",
  response: {
    schema: z.object({
      now: Timestamp,
      name: z.string(),
      ...SCHEDULE_FIELDS,
      paused: z.boolean(),
      paused_since: z.nullable(Timestamp),
      feeding_period_seconds: z.number(),
      report_window_seconds: z.number(),
      sharers: z.number(),
      checkpoint: z.nullable(CheckpointView),
      counts: CountsView,
    }),
  },
  run: async (call) => {
    const { game, now, services } = call;
    const { name, report_window_seconds, sharers } = game.settings;
    return call.respond({
      now: rfc3339(now),
      name,
      ...scheduleView(game, now),
      paused: game.paused_at !== null,
      paused_since: game.paused_at === null ? null : rfc3339(game.paused_at),
      feeding_period_seconds: services.feedingPeriod(game) / SECOND,
      report_window_seconds,
      sharers,
      checkpoint: game.checkpoint,
      counts: await services.store.counts(game, now),
    });
  },
});
