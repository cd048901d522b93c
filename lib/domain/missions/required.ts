/** Required missions: what becomes of players who attended too few of them, by the rules of checkpoints. */
import { type Enforcement, enforceCheckpoint } from "../checkpoint/checkpoint.ts";
import type { Game } from "../game/game.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import type { Player } from "../players/player.ts";
import type { Requirement } from "./requirement.ts";

/** An enforcement of required missions. */
export interface MissionsEnforcement
  extends Omit<Enforcement, "applies_to" | "of_missions">,
    Pick<Requirement, "needed"> {
  /** The player ids of those who are exempt. */
  exempt: readonly string[];
}

/**
 * Enforces required missions on one player as a checkpoint that those have passed who attended enough.
 * @param attended how many of the missions that count each player attended, by id
 */
export const enforceMissions = (
  player: Player,
  game: Game,
  { needed, exempt, ...enforcement }: MissionsEnforcement,
  attended: ReadonlyMap<string, number>,
  command: CommandContext,
): Outcome | "spared" | "exempt" => {
  const { player_id: id } = player;
  const isSpared = exempt.includes(id) || (attended.get(id) ?? 0) >= needed;
  return enforceCheckpoint(
    player,
    game,
    { ...enforcement, applies_to: "all", of_missions: true },
    command,
    isSpared,
  );
};
