/** A game master's command upon one player: the five endpoints that differ only in the rule. */
import * as z from "zod/mini";
import type { TargetCommand } from "../../domain/transitions.ts";
import type { Call } from "../../http/definition.ts";
import type { PlayerRef } from "../../http/fields.ts";
import { InteractionReturnType, interactionView, PlayerReturnInfo } from "../../http/views.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { findPlayer, reloadOnRetry } from "../currentState.ts";
import { showPlayer } from "../lookups.ts";

/** The player as they are after the command, and the interaction that it was. */
export const ChangeStateResponse = z.object({ player: PlayerReturnInfo, interaction: InteractionReturnType });
type ChangeStateResponse = z.infer<typeof ChangeStateResponse>;

/**
 * Carries out a command upon the player that the request names.
 * @throws DomainError `player_not_found`, and what the command throws
 */
export const changePlayerState = (
  call: Call<"administrator", PlayerRef, unknown, ChangeStateResponse>,
  command: TargetCommand,
): Promise<CommandResponse> => {
  const { body, context: moment, audit: note, now, services } = call;
  const { store } = services;
  const again = reloadOnRetry(call);
  return call.decide(async () => {
    const [{ player: actor, game: read }, target] = await Promise.all([again(), findPlayer(store, body)]);
    note.target = target.player_id;
    const game = await store.gameFor(read, target);
    const outcome = command({ game, target, actor: actor.player_id }, moment);
    const names = new Map([actor, target].map(({ player_id, alias }) => [player_id, alias]));
    return {
      changes: { ...outcome, seen: game.rev },
      response: {
        player: await showPlayer(store, outcome.player, game, now),
        interaction: interactionView(outcome.interaction, names, actor),
      },
    };
  });
};
