/** Shows a game master who plays what they may not know of a player, and takes them out of play for it (decision 90). */
import * as z from "zod/mini";
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { CommandContext, Outcome } from "../../domain/outcome.ts";
import type { Player } from "../../domain/players/player.ts";
import { makeSpectator } from "../../domain/players/transitions.ts";
import { withSecretsSeen } from "../../domain/players/visibility.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import type { PlayerRef } from "../../http/fields.ts";
import { StaffPlayer } from "../../http/views.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { findPlayer, reloadOnRetry } from "../currentState.ts";
import { showPlayer } from "../lookups.ts";
import { infoForStaff } from "../shown.ts";

export const ShownSecrets = z.object({
  player: StaffPlayer,
  /** Whether this request has taken the game master out of play. */
  withdrawn: z.boolean(),
});

/** Takes a game master out of play, if they are in play, and marks that they know secrets. */
const withdraw = (
  master: Player,
  game: Game,
  command: CommandContext,
): { after: Player; outcome: Outcome; withdrawn: boolean } => {
  const left =
    master.state === "spectator"
      ? { player: master, interactions: [], withdrawn: false }
      : { ...makeSpectator({ game, target: master, actor: master.player_id }, command), withdrawn: true };
  const after = withSecretsSeen(left.player, command.now);
  const { interactions, withdrawn } = left;
  return { after, outcome: { players: [{ before: master, after }], interactions }, withdrawn };
};

/**
 * Shows everything of a player, with tag code and hidden original zombie. From then on, the game master sees all of it
 * everywhere, and comes back into play only by another game master or in a new season.
 * @throws DomainError `player_not_found`; `wrong_state` for the game master's own player
 */
export const showSecrets = (
  call: Call<"administrator", PlayerRef, unknown, z.infer<typeof ShownSecrets>>,
): Promise<CommandResponse> => {
  const { audit, body, context, now, services } = call;
  const { store } = services;
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const [{ player: master, game: loaded }, target] = await Promise.all([reload(), findPlayer(store, body)]);
    audit.target = target.player_id;
    if (target.player_id === master.player_id)
      throw new DomainError("wrong_state", "Nothing of your own player is hidden from you.");
    const game = await store.gameFor(loaded, target);
    const { after, outcome, withdrawn } = withdraw(master, game, context);
    audit.details = { withdrawn };
    const info = await showPlayer(store, target, game, now, after);
    return {
      changes: { ...outcome, basedOn: game },
      result: { player: infoForStaff(info, target, after), withdrawn },
      aliases: new Map([
        [target.player_id, target.alias],
        [target.infected_by ?? "", info.infected_by ?? ""],
      ]),
    };
  });
};
