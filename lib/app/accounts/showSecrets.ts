/** Shows a game master who plays what they may not know of a player, and takes them out of play for it (decision 90). */
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { CommandContext, Outcome } from "../../domain/outcome.ts";
import type { Player } from "../../domain/players/player.ts";
import { makeSpectator } from "../../domain/players/transitions.ts";
import { withSecretsSeen } from "../../domain/players/visibility.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { findTarget, type PlayerName } from "../currentState.ts";
import { showToStaff } from "../lookups.ts";
import type { StaffInfo } from "../shown.ts";

interface ShownSecrets {
  player: StaffInfo;
  /** Whether this request has taken the game master out of play. */
  withdrawn: boolean;
}

/** Takes a game master out of play, if they are in play, and marks that they know secrets. */
const withdraw = (
  administrator: Player,
  game: Game,
  command: CommandContext,
): { after: Player; outcome: Outcome; withdrawn: boolean } => {
  const left =
    administrator.state === "spectator"
      ? { player: administrator, interactions: [], withdrawn: false }
      : {
          ...makeSpectator({ game, target: administrator, actor: administrator.player_id }, command),
          withdrawn: true,
        };
  const after = withSecretsSeen(left.player, command.now);
  const { interactions, withdrawn } = left;
  return { after, outcome: { players: [{ before: administrator, after }], interactions }, withdrawn };
};

/**
 * Shows everything of a player, with tag code and hidden original zombie. From then on, the game master sees all of it
 * everywhere, and comes back into play only by another game master or in a new season.
 * @throws DomainError `player_not_found`; `wrong_state` for the game master's own player
 */
export const showSecrets = async (call: PlayerCall, named: PlayerName): Promise<Decision<ShownSecrets>> => {
  const { audit, context, now, player: administrator, services } = call;
  const { target, game } = await findTarget(call, named);
  if (target.player_id === administrator.player_id)
    throw new DomainError("wrong_state", "Nothing of your own player is hidden from you.");
  const { after, outcome, withdrawn } = withdraw(administrator, game, context);
  audit.details = { withdrawn };
  const player = await showToStaff(services.store, target, game, now, after);
  return {
    changes: { ...outcome, basedOn: game },
    result: { player, withdrawn },
    aliases: new Map([
      [target.player_id, target.alias],
      [target.infected_by ?? "", player.infected_by ?? ""],
    ]),
  };
};
