/** Gives every living zombie the play time of the next 24 hours. */
import { addDayToClock, playTimeOfNextDay } from "../../domain/game/clock.ts";
import { requireUnfinished } from "../../domain/game/finish.ts";
import { newInteraction } from "../../domain/players/transitions.ts";
import { SECOND } from "../../domain/time.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { countsFor } from "./gameView.ts";

/** The number of living zombies that the game master may know of, and the play time that they got. */
interface AddedDay {
  zombies: number;
  added_seconds: number;
}

/** @throws DomainError `wrong_state` once the season is finished */
export const addDay = async (call: PlayerCall): Promise<Decision<AddedDay>> => {
  const { audit, context, game: before, now, player } = call;
  requireUnfinished(before);
  const { zombies } = await countsFor(call);
  audit.details = { zombies };
  return {
    changes: {
      game: { before, after: addDayToClock(before, now) },
      interactions: [newInteraction("add_day", null, player.player_id, context)],
    },
    result: { zombies, added_seconds: Math.round(playTimeOfNextDay(before, now) / SECOND) },
  };
};
