/** What a command of the game comes to: the items as they were and are, and the interactions it leaves. */

import type { Game } from "./clock.ts";
import type { Interaction } from "./interaction.ts";
import type { Feeding, FeedingState, Player } from "./player.ts";

/** A player before and after; `null` where there was or is none. */
export interface PlayerChange {
  before: Player | null;
  after: Player | null;
}

export interface Outcome {
  players: PlayerChange[];
  /** Zombies that were proposed and not read. */
  zombies?: ZombieChange[];
  interactions: Interaction[];
  game?: { before: Game; after: Game };
}

/** What a command is given of the world outside: the instant it is judged at, and fresh names. */
export interface CommandContext {
  /** Milliseconds since 1970. */
  now: number;
  /** The feeding period in milliseconds. */
  period: number;
  /** A fresh event id, UUID v7, later than any before it. */
  newId: () => string;
  /** A fresh tag code. */
  newCode: () => string;
}

/** A living zombie as it was proposed, not read: what is decided of it is written on condition that it is still so. */
export interface IndexCandidate {
  player_id: string;
  deadline: number;
  epoch: number;
  meals: Feeding[];
}

/** A proposed zombie, and what becomes of it: what it lives by from now on, or `null` for one who is dead. */
export interface ZombieChange {
  zombie: IndexCandidate;
  after: FeedingState | null;
}
