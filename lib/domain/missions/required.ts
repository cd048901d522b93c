/** Required missions: who has attended too few of them, and what becomes of them, by the rules of checkpoints. */
import { type Enforcement, enforceCheckpoint } from "../checkpoint/checkpoint.ts";
import type { Game } from "../game/game.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import type { Player } from "../players/player.ts";
import { instantOf, laterOf, rfc3339 } from "../time.ts";
import { isCancelled, type Mission } from "./mission.ts";

/** What is required of players. */
export interface Requirement {
  /** The ids of the missions that count. */
  ids: string[];
  /** How many of them a player needs. */
  needed: number;
  /** When the last of them began, RFC 3339: it is not required of players who have joined or begun a life since. */
  since: string;
}

/**
 * What is required. A cancelled mission counts for nobody, and one less is needed.
 * @param wanted how many missions are required, before any was cancelled
 */
export const requirementOf = (
  missions: readonly Mission[],
  { settings }: Game,
  wanted: number,
  now: number,
): Requirement => {
  const { missions_counted_from: from } = settings;
  const required = missions.filter(
    ({ required, draft, starts_at }) => required && !draft && (from === null || starts_at >= from),
  );
  const counted = required.filter((one) => !isCancelled(one) && instantOf(one.starts_at) <= now);
  const cancelled = required.filter(isCancelled).length;
  return {
    ids: counted.map(({ mission_id }) => mission_id),
    needed: Math.max(0, wanted - cancelled),
    since: counted.reduce((last, { starts_at }) => laterOf(last, starts_at), rfc3339(0)),
  };
};

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
