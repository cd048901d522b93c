/** The state of the whole game, as every player may see it. */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import { situationOf } from "../../domain/players/situation.ts";
import { rfc3339, SECOND } from "../../domain/time.ts";
import { CheckpointView, CountsView, Timestamp } from "../../http/views.ts";
import type { Services } from "../../lambda/services.ts";
import type { Counts } from "../../store/items.ts";
import { hasBegun, SCHEDULE_FIELDS, SituationName, scheduleView } from "./scheduleView.ts";

export const GameView = z.lazy(() =>
  z.object({
    now: Timestamp,
    name: z.string(),
    ...SCHEDULE_FIELDS,
    situation: SituationName,
    paused: z.boolean(),
    paused_since: z.nullable(Timestamp),
    feeding_period_seconds: z.number(),
    report_window_seconds: z.number(),
    sharers: z.number(),
    checkpoint: z.nullable(CheckpointView),
    counts: CountsView,
  }),
);
export type GameView = z.infer<typeof GameView>;

export const gameView = (
  { feedingPeriod }: Pick<Services, "feedingPeriod">,
  game: Game,
  now: number,
  counts: Counts & { total: number },
): GameView => ({
  now: rfc3339(now),
  name: game.settings.name,
  ...scheduleView(game, now),
  situation: situationOf(game, now, hasBegun(counts)),
  paused: game.paused_at !== null,
  paused_since: game.paused_at === null ? null : rfc3339(game.paused_at),
  feeding_period_seconds: feedingPeriod(game) / SECOND,
  report_window_seconds: game.settings.report_window_seconds,
  sharers: game.settings.sharers,
  checkpoint: game.checkpoint,
  counts,
});
