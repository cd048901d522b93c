/** Lives as a zombie: finds the life in which a player was at the time of a tag, from the recorded interactions. */

import { DomainError } from "./domainError.ts";
import type { Game } from "./game.ts";
import { type Interaction, isInfection, type Kind } from "./interaction.ts";
import type { CommandContext } from "./outcome.ts";
import type { Player, Zombie } from "./player.ts";
import { rfc3339 } from "./time.ts";
import { applyStarvation, requireState } from "./transitions.ts";

/** A life as a zombie, by its infection. */
export type ZombieLife = Pick<Zombie, "infection_id" | "infected_at">;

/** A player as the hunter of a tag. */
export interface Hunter {
  /** As stored. */
  stored: Player;
  /** With a due starvation applied, which `deaths` records. */
  player: Player;
  deaths: Interaction[];
  /** The life in which they made the tag. The tag feeds them only if they are still in it. */
  life: ZombieLife;
}

/** A living zombie as the hunter of a tag. */
export const asHunter = (zombie: Zombie): Hunter => ({
  stored: zombie,
  player: zombie,
  deaths: [],
  life: zombie,
});

const ENDINGS: readonly Kind[] = ["starve", "corpsify", "cure", "revive_human", "checkpoint_kill"];

/**
 * The life as a zombie in which a player was at a time.
 * @param events the interactions whose target is the player; at least those since that life began
 * @param at RFC 3339
 * @returns `null` if the player was not a zombie at that time
 */
export const zombieLifeAt = (events: readonly Interaction[], at: string): ZombieLife | null => {
  const earlier = events
    .filter((event) => event.at <= at)
    .toSorted((one, other) =>
      `${one.at} ${one.interaction_id}` < `${other.at} ${other.interaction_id}` ? -1 : 1,
    );
  let life: ZombieLife | null = null;
  for (const { kind, interaction_id, at: infected_at, voided_by } of earlier) {
    if (voided_by !== undefined) continue;
    if (isInfection(kind)) life = { infection_id: interaction_id, infected_at };
    else if (ENDINGS.includes(kind)) life = null;
  }
  return life;
};

/**
 * The hunter of a tag that a game master enters: a zombie, or a player who was one at the time of the tag.
 * @param at the time of the tag, as an instant
 * @param readEvents reads the interactions whose target is the player; not called if the present life is the one
 * @throws DomainError `wrong_state`, `too_early`
 */
export const hunterAt = async (
  stored: Player,
  at: number,
  game: Game,
  command: CommandContext,
  readEvents: () => Promise<readonly Interaction[]>,
): Promise<Hunter> => {
  const time = rfc3339(at);
  const { player, deaths } = applyStarvation(stored, game, command);
  if (player.state === "zombie" && player.infected_at <= time)
    return { stored, player, deaths, life: player };
  const life = zombieLifeAt([...(await readEvents()), ...deaths], time);
  if (life !== null) return { stored, player, deaths, life };
  requireState(player, ["zombie"], "be the hunter, unless the player was a zombie at the time of the tag");
  throw new DomainError("too_early", `${player.alias} was not a zombie yet at that time.`);
};
