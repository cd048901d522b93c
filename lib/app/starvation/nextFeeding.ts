/** When a zombie must feed next. */
import { secondsLeft, wallDeadline } from "../../domain/game/clock.ts";
import { livingZombie } from "../../domain/players/player.ts";
import { applyStarvation, requireState } from "../../domain/players/transitions.ts";
import { nullableRfc3339 } from "../../domain/time.ts";
import type { ReadCall } from "../../lambda/call.ts";

/** @throws DomainError `wrong_state` */
export const readNextFeeding = async (call: ReadCall) => {
  const { context, now } = call;
  // The first read may be stale: the player may have been infected just now.
  const { game, player: loaded } =
    livingZombie(call.player, call.game, now) === null
      ? await call.services.store.playerWithGame(call.player.player_id)
      : call;
  const { player } = applyStarvation(loaded, game, context);
  const { deadline, last_fed_at } = requireState(player, ["zombie"], "be due for a feeding");
  return {
    next_feeding: nullableRfc3339(wallDeadline(game, deadline, now)),
    seconds_left: secondsLeft(game, deadline, now),
    last_fed_at,
  };
};
