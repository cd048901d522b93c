/** The results of commands and their inputs. */
import type { FeedingPeriodOf } from "./game/clock.ts";
import type { Game } from "./game/game.ts";
import type { Interaction } from "./hunts/interaction.ts";
import type { Feeding, FeedingState, Player } from "./players/player.ts";

/** A player before and after a command; `null` for a new or a deleted one. */
export interface PlayerChange {
  before: Player | null;
  after: Player | null;
  /** Whether the item of `after`'s tag code exists, so that it must not be created. */
  isCodeStored?: boolean;
}

/** The result of a command: the changed items before and after, and the new interactions. */
export interface Outcome {
  players: PlayerChange[];
  /** Changes of zombies that are known from their index entries only. */
  zombies?: ZombieChange[];
  interactions: Interaction[];
  game?: { before: Game; after: Game };
}

/** The inputs of a command from outside the domain: the time, the feeding period, new ids and codes. */
export interface CommandContext {
  /** Milliseconds since 1970. */
  now: number;
  feedingPeriod: FeedingPeriodOf;
  /** Makes an id: a UUID v7, which sorts after all earlier ones. */
  newId: () => string;
  newCode: () => string;
  /** The game master's reason. */
  reason?: string | undefined;
}

/** A zombie's index entry. Its change is written only if the zombie's item still has this deadline and epoch. */
export interface IndexCandidate {
  player_id: string;
  /** In milliseconds of game time; `epoch` is the one in which it was set. */
  deadline: number;
  epoch: number;
  meals: Feeding[];
}

/** A zombie from an index and its new feeding state; `null` if the change makes it a corpse. */
export interface ZombieChange {
  zombie: IndexCandidate;
  after: FeedingState | null;
}
