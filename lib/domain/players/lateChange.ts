/** What a zombie gets at a time that may be past: it counts in the life in which they were then (decision 97). */
import type { Game } from "../game/game.ts";
import type { Interaction } from "../hunts/interaction.ts";
import type { CommandContext } from "../outcome.ts";
import { feedingsBefore } from "../starvation/feeding.ts";
import { instantOf } from "../time.ts";
import type { Hunter } from "./lives.ts";
import type { Player, Zombie } from "./player.ts";
import { applyStarvation, asCorpse, newInteraction } from "./transitions.ts";

/** A starvation that did not happen after all, and the interaction that records it. */
export interface Revival {
  starvation: Interaction;
  interaction: Interaction;
}

/** A player after a change in one of their lives. */
interface LateChange {
  player: Player;
  interactions: Interaction[];
  /** If the change came before the player starved, and would have kept them from it. `null` otherwise. */
  revival: Revival | null;
}

/**
 * Applies a change to a zombie, unless their life has ended otherwise than by starving. One who has starved since the change
 * had it before: if it leaves more time than what they had eaten, or makes them human, they did not starve then. They live,
 * or starved when that time ended.
 * @param change returns the same zombie if it changes nothing
 * @param cause the id of the interaction that records the change
 */
export const changeInLife = (
  { player, life, deaths, starvation }: Hunter,
  cause: string,
  change: (zombie: Zombie) => Player,
  game: Game,
  command: CommandContext,
): LateChange => {
  const isSameLife = player.infection_id === life.infection_id;
  if (player.state === "zombie" && isSameLife)
    return { player: change(player), interactions: deaths, revival: null };
  if (starvation === null) return { player, interactions: deaths, revival: null };
  const { infection_id, infected_at } = life;
  const diedAt = instantOf(starvation.at);
  const before: Zombie = {
    ...player,
    ...feedingsBefore(player, diedAt, game, command.now),
    state: "zombie",
    infection_id,
    infected_at,
  };
  const changed = change(before);
  if (changed === before) return { player, interactions: deaths, revival: null };
  if (changed.state === "zombie" && changed.deadline === before.deadline)
    return { player: asCorpse(changed), interactions: deaths, revival: null };
  const interaction: Interaction = {
    ...newInteraction("revived_by_late_tag", player, null, command),
    voids: starvation.interaction_id,
    late_tag: cause,
  };
  const undone = { ...starvation, voided_by: interaction.interaction_id };
  const { player: after, deaths: later } = applyStarvation(changed, game, command);
  return {
    player: after,
    interactions: [...deaths.map((death) => (death === starvation ? undone : death)), interaction, ...later],
    revival: { starvation, interaction },
  };
};
