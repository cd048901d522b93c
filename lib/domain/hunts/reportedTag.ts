/** Players report that they were tagged. The infection then waits for its hunter (decisions 47 and 91). */
import { DomainError } from "../domainError.ts";
import type { Game } from "../game/game.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import type { Player, Zombie } from "../players/player.ts";
import { TRANSITIONS } from "../players/states.ts";
import { applyStarvation, asZombie, newInteraction, requireState } from "../players/transitions.ts";
import { instantOf, rfc3339 } from "../time.ts";
import type { Interaction } from "./interaction.ts";
import { survivedSince } from "./tag.ts";

/** The outcome of a player's report that they were tagged. */
export interface ReportedTag extends Outcome {
  player: Zombie;
  interaction: Interaction;
}

/**
 * Infects a human who reports being tagged. The infection then waits for its hunter.
 * @param taggedAt when the tag happened, as an instant at which the game was played
 * @param suspect the id of the player whom they suspect to be the hunter; `null` if they do not say
 * @throws DomainError `wrong_state`, `too_early`
 */
export const reportTagged = (
  player: Player,
  { taggedAt, suspect }: { taggedAt: number; suspect: string | null },
  game: Game,
  command: CommandContext,
): ReportedTag => {
  const before = requireState(
    applyStarvation(player, game, command).player,
    TRANSITIONS.report_tagged.from,
    "report being tagged",
  );
  if (taggedAt < instantOf(before.code_since))
    throw new DomainError("too_early", "You did not have your tag code yet at that time.");
  const at = rfc3339(taggedAt);
  const interaction: Interaction = {
    ...newInteraction("hunt", before, null, command, at),
    parent: null,
    shared_with: [],
    waiting_since: rfc3339(command.now),
    ...survivedSince(before),
    ...(suspect === null ? {} : { suspect }),
  };
  const zombie = asZombie(before, game, command, { id: interaction.interaction_id, at, by: null });
  const after = { ...zombie, reported: true };
  return { players: [{ before, after }], interactions: [interaction], player: after, interaction };
};
