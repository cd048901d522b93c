/** Responses about the game. */
import * as z from "zod/mini";
import { PHASES } from "../domain/game/game.ts";
import { PlayHours } from "../domain/game/schedule.ts";
import { SITUATIONS } from "../domain/players/situationTexts.ts";
import { boolean, text } from "../domain/schemas.ts";
import { CountsView } from "./counts.ts";
import { CheckpointView, Timestamp } from "./views.ts";

const OptionalTime = z.nullable(Timestamp);

/** The fields of the schedule. */
export const SCHEDULE_FIELDS = {
  time_zone: text,
  starts_at: OptionalTime,
  ends_at: OptionalTime,
  play_hours: z.nullable(PlayHours),
  phase: z.enum(PHASES),
  /** Whether hunts count and hunger grows at this moment. */
  in_play: boolean,
  /** When play next begins or ends by the schedule. */
  next_change_at: OptionalTime,
};

/** What happens now, for people: the phase, with nights and pauses told apart. */
export const SituationName = z.enum(SITUATIONS);

export const GameView = z.lazy(() =>
  z.object({
    now: Timestamp,
    name: z.string(),
    ...SCHEDULE_FIELDS,
    situation: SituationName,
    paused: z.boolean(),
    paused_since: OptionalTime,
    feeding_period_seconds: z.number(),
    report_window_seconds: z.number(),
    sharers: z.number(),
    checkpoint: z.nullable(CheckpointView),
    counts: CountsView,
  }),
);
