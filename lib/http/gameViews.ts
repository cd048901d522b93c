/** Responses about the game. */
import * as z from "zod/mini";
import { type Game, PHASES } from "../domain/game/game.ts";
import { PlayHours } from "../domain/game/schedule.ts";
import { SEASON_RESULTS } from "../domain/game/seasonResult.ts";
import { SITUATIONS } from "../domain/players/situationTexts.ts";
import { boolean, nullableText, type Prose, text } from "../domain/schemas.ts";
import { nullableRfc3339 } from "../domain/time.ts";
import { CountsView } from "./counts.ts";
import { CheckpointView, Timestamp } from "./views.ts";

const OptionalTime = z.nullable(Timestamp);

export const SCHEDULE_FIELDS = {
  time_zone: text,
  starts_at: OptionalTime,
  ends_at: OptionalTime,
  play_hours: z.nullable(PlayHours),
  phase: z.enum(PHASES),
  in_play: boolean,
  next_change_at: OptionalTime,
};

export const SCHEDULE_PROSE: Prose<typeof SCHEDULE_FIELDS> = {
  time_zone: "The IANA name of the zone of the play hours.",
  starts_at: "When the game starts; `null` for no start.",
  ends_at: "When the game ends; `null` for no end.",
  play_hours: "When the game is played each day, in local time; `null` for always.",
  phase: "The phase that the game is in now, by its schedule and pauses.",
  in_play: "Whether hunts count and hunger grows now.",
  next_change_at: "When play begins or ends next by the schedule.",
};

/** What happens now, for people: the phase, with nights and pauses told apart. */
export const SituationName = z.enum(SITUATIONS);

/** The result of a season, once everybody may know it. */
export const RESULT_FIELDS = {
  result: z.nullable(z.enum(SEASON_RESULTS)),
  result_note: nullableText,
  grace_until: OptionalTime,
};

export const RESULT_PROSE: Prose<typeof RESULT_FIELDS> = {
  result: "Who has won the season; `null` until it is finished and its grace is over.",
  result_note: "What game masters say about the result.",
  grace_until:
    "Until when tags from before the end are accepted; `null` unless the season is finished and its grace is not over.",
};

export const GameView = z.lazy(() =>
  z.object({
    now: Timestamp,
    name: z.string(),
    ...SCHEDULE_FIELDS,
    situation: SituationName,
    ...RESULT_FIELDS,
    season_id: nullableText,
    paused: z.boolean(),
    paused_since: OptionalTime,
    feeding_period_seconds: z.number(),
    report_window_seconds: z.number(),
    sharers: z.number(),
    sends_mail: z.boolean(),
    stores_mail: z.boolean(),
    checkpoint: z.nullable(CheckpointView),
    counts: CountsView,
  }),
);

export const GAME_PROSE: Prose<z.infer<typeof GameView>> = {
  ...RESULT_PROSE,
  now: "The clock of the service.",
  name: "What it is called.",
  situation:
    "What happens now, in one word: the phase, with nights, pauses at night, pauses before the start and the time between seasons told apart.",
  season_id: "The id of this season in `GET /seasons/{season_id}`; `null` until its result is known.",
  paused: "Whether the game is paused.",
  paused_since: "Since when it is paused.",
  feeding_period_seconds: "The play time for which a feeding lasts, in seconds.",
  sends_mail: "Whether the service sends mail, so that players can confirm their addresses.",
  stores_mail:
    "Whether it stores mails as files instead of sending them, so that game masters can read them: only a local service does.",
  checkpoint: "The current checkpoint, if there is one.",
};

export const PauseResponse = z.object({ paused: boolean, since: OptionalTime });

export const PAUSE_PROSE: Prose<z.infer<typeof PauseResponse>> = {
  paused: "Whether the game is paused.",
  since: "When the pause began; `null` if the game is not paused.",
};

export const pauseView = ({ paused_at }: Game): z.infer<typeof PauseResponse> => ({
  paused: paused_at !== null,
  since: nullableRfc3339(paused_at),
});
