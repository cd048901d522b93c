/** Pauses and resumes the game. Both are idempotent. */
import { requireUnfinished } from "../../domain/game/finish.ts";
import type { Game } from "../../domain/game/game.ts";
import { newInteraction } from "../../domain/players/transitions.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";

/**
 * Pauses or resumes the game clock. Without a change, no interaction is recorded.
 * @returns the game afterwards
 * @throws DomainError `wrong_state` once the season is finished
 */
export const changeGameClock = async (
  { context, game: before, now, player }: PlayerCall,
  kind: "pause" | "resume",
  change: (game: Game, now: number) => Game,
): Promise<Decision<Game>> => {
  requireUnfinished(before);
  const after = change(before, now);
  if (after === before) return { changes: {}, result: after };
  const interactions = [newInteraction(kind, null, player.player_id, context)];
  return { changes: { game: { before, after }, interactions }, result: after };
};
