/** What a command of the game comes to: the items as they were and are, and the interactions it leaves. */
import type { Game } from "./clock.ts";
import type { Interaction } from "./interaction.ts";
import type { Player } from "./player.ts";
import type { ZombieChange } from "./transitions.ts";

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
export interface Moment {
  /** Milliseconds since 1970. */
  now: number;
  /** The feeding period in milliseconds. */
  period: number;
  /** A fresh event id, UUID v7, later than any before it. */
  newId: () => string;
  /** A fresh tag code. */
  newCode: () => string;
}
