/** Outcomes of commands: the changed items before and after, and the recorded interactions. */

import type { FeedingPeriod, Game } from "./clock.ts";
import type { Interaction } from "./interaction.ts";
import type { Feeding, FeedingState, Player } from "./player.ts";

/** A player before and after a command; `null` for a new or a deleted one. */
export interface PlayerChange {
  before: Player | null;
  after: Player | null;
  /** The item of the tag code exists, and another write makes it the player's again. */
  hasOldCode?: boolean;
}

export interface Outcome {
  players: PlayerChange[];
  /** Changes of zombies that were taken from an index and not read. */
  zombies?: ZombieChange[];
  interactions: Interaction[];
  game?: { before: Game; after: Game };
}

/** The inputs of a command from outside the domain: the time, the settings, new ids and codes. */
export interface CommandContext {
  /** Milliseconds since 1970. */
  now: number;
  feedingPeriod: FeedingPeriod;
  /** Makes an event id: UUID v7, sorting after all earlier ones. */
  newId: () => string;
  /** Makes a tag code. */
  newCode: () => string;
  /** Why a game master does it, in their words. */
  reason?: string | undefined;
}

/** A zombie as an index shows it. A change of it is written on condition that its item is still the same. */
export interface IndexCandidate {
  player_id: string;
  deadline: number;
  epoch: number;
  meals: Feeding[];
}

/** A zombie from an index and its new feeding state; `null` if it is dead. */
export interface ZombieChange {
  zombie: IndexCandidate;
  after: FeedingState | null;
}
