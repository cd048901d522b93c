/** A game master's command on one player. The endpoints that use it differ only in the rule. */
import { requireNotOwn } from "../../domain/accounts/staff.ts";
import type { TargetCommand } from "../../domain/players/transitions.ts";
import { shownPlayer } from "../../domain/players/visibility.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { findPlayer, isOnlyAdministrator, type PlayerName } from "../currentState.ts";
import { showPlayer } from "../lookups.ts";
import { type InteractionInfo, infoForStaff, interactionView, type StaffInfo } from "../shown.ts";

/** The player after a command, and the interaction that records it, as the caller may see them. */
interface ChangedPlayer {
  player: StaffInfo;
  interaction: InteractionInfo;
}

/**
 * Applies a command to the player that the request names.
 * @throws DomainError `player_not_found`, `ask_game_master` for a moderator's command on themselves, and what the
 *   command throws
 */
export const changePlayerState = async (
  { audit, context, game: loaded, now, player: actor, services: { store } }: PlayerCall,
  { hidden, ...ref }: PlayerName & { hidden?: boolean | undefined },
  command: TargetCommand,
): Promise<Decision<ChangedPlayer>> => {
  const target = await findPlayer(store, ref);
  audit.target = target.player_id;
  if (hidden !== undefined) audit.details = { hidden };
  requireNotOwn(actor, target.player_id);
  const game = await store.gameFor(loaded, target);
  const isOwn = target.player_id === actor.player_id;
  const targetContext = {
    ...{ game, target, actor: actor.player_id },
    isOnlyAdministrator: isOwn && (await isOnlyAdministrator(store, target)),
    hidden,
  };
  const shown = shownPlayer(target, actor, game, now);
  // Throws the error for the state that the caller may see, even if the actual state allows the command. Its outcome is
  // not used, so it takes no ids.
  if (shown !== target) command({ ...targetContext, target: shown }, { ...context, newId: () => "" });
  const outcome = command(targetContext, context);
  const aliases = new Map([actor, target].map(({ player_id, alias }) => [player_id, alias]));
  return {
    changes: { ...outcome, basedOn: game },
    result: {
      player: infoForStaff(await showPlayer(store, outcome.player, game, now, actor), outcome.player, actor),
      interaction: interactionView(outcome.interaction, aliases, actor),
    },
  };
};
