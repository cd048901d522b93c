/** What moderators may not do: decide anything about their own play. Game masters may, and the log shows it. */
import { DomainError } from "../domainError.ts";
import type { Player } from "../players/player.ts";

/**
 * Requires that a moderator's command does not concern the moderator.
 * @param concerned the ids of the players whom it concerns
 * @throws DomainError `ask_game_master`
 */
export const requireNotOwn = (
  { player_id, is_admin }: Pick<Player, "player_id" | "is_admin">,
  ...concerned: (string | null)[]
): void => {
  if (is_admin || !concerned.includes(player_id)) return;
  throw new DomainError(
    "ask_game_master",
    "This concerns you as a player: ask a game master or another moderator to do it.",
  );
};
