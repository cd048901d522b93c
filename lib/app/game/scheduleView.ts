/** The schedule of the game, as everybody may see it. */
import { isInPlay } from "../../domain/game/clock.ts";
import { type Game, phaseOf } from "../../domain/game/game.ts";
import { nextChange } from "../../domain/game/schedule.ts";
import { nullableRfc3339 } from "../../domain/time.ts";

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
