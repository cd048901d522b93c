/** Which zombies have been warned that they starve soon. */
import * as z from "zod/mini";
import { gameTime } from "../game/clock.ts";
import type { Game } from "../game/game.ts";

export const Warned = z.looseObject({
  rev: z.int(),
  /** The epoch of the game when this was written. */
  epoch: z.int(),
  /** For each warning, by its milliseconds before starvation: zombies with a deadline up to this game time had it. */
  upTo: z.record(z.string(), z.number()),
});
export type Warned = z.infer<typeof Warned>;

/** A stored time cannot be infinite. */
export const finite = (time: number): number => (Number.isFinite(time) ? time : 0);

/** Before the first warning. */
export const BEFORE_ANY: Warned = { rev: 0, epoch: 0, upTo: {} };

/**
 * Returns a game time: zombies with a deadline up to it have had the warning. An added day makes deadlines later, so
 * they need it again. Then only deadlines that were still at most `before` away after the change count as warned.
 */
export const warnedUpTo = (warned: Warned, game: Game, before: number): number => {
  const kept = warned.upTo[before] ?? Number.NEGATIVE_INFINITY;
  if (warned.epoch === game.epoch || game.changed_at === null) return kept;
  return Math.min(kept, gameTime(game, game.changed_at) + before);
};
