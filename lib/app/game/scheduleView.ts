/** The schedule of the game, as everybody may see it. */
import * as z from "zod/mini";
import { isInPlay } from "../../domain/game/clock.ts";
import { type Game, PHASES, phaseOf } from "../../domain/game/game.ts";
import { nextChange, PlayHours } from "../../domain/game/schedule.ts";
import { SITUATIONS } from "../../domain/players/situationTexts.ts";
import { boolean, text } from "../../domain/schemas.ts";
import { nullableRfc3339 } from "../../domain/time.ts";
import { Timestamp } from "../../http/views.ts";

const OptionalTime = z.nullable(Timestamp);

/** The fields of the schedule in a response. */
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

/** Whether somebody is a zombie or was killed, as far as the reader may know. */
export const hasBegun = ({ zombies, corpses }: { zombies: number; corpses: number }): boolean =>
  zombies + corpses > 0;

export const NO_SCHEDULE = { time_zone: "UTC", starts_at: null, ends_at: null, play_hours: null } as const;

/** The schedule of a game, and whether it is in play now. */
export const scheduleView = (game: Game, now: number) => {
  const { time_zone, starts_at, ends_at, play_hours } = game.schedule ?? NO_SCHEDULE;
  return {
    time_zone,
    play_hours,
    phase: phaseOf(game, now),
    in_play: isInPlay(game, now),
    starts_at: nullableRfc3339(starts_at),
    ends_at: nullableRfc3339(ends_at),
    next_change_at: nullableRfc3339(nextChange(game.schedule, now)),
  };
};
