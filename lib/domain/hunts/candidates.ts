/** The transitions of zombies of whom only the index entry was read; see transitions.ts. */
import { starvedAt } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import type { CommandContext, IndexCandidate, Outcome } from "../outcome.ts";
import { newInteraction } from "../players/transitions.ts";
import { asFed, latestMeal } from "../starvation/feeding.ts";
import { rfc3339 } from "../time.ts";

/**
 * Feeds a zombie from an index now, like `feedPlayer`.
 * @returns `null` if it has starved; `undefined` if it may have been fed later, which only the player's item says
 */
export const feedCandidate = (
  zombie: IndexCandidate,
  game: Game,
  actor: string,
  command: CommandContext,
): Outcome | null | undefined => {
  if (starvedAt(game, zombie, command.now) !== null) return null;
  const { deadline, epoch, meals } = zombie;
  // The index does not contain `last_fed_at`, but every meal of who has had several.
  const last_fed_at = meals.map(({ at }) => at).reduce(latestMeal, null);
  const before = { deadline, epoch, meals, last_fed_at };
  const after = asFed(before, game, command.now, command.feedingPeriod(game));
  if (meals.length === 0 && after.deadline === deadline) return undefined;
  return {
    players: [],
    zombies: [{ zombie, after }],
    interactions: [newInteraction("feed", zombie, actor, command)],
  };
};

/** Records the starvation of a zombie from an index, like `starve`. @returns `null` if it has not starved */
export const starveCandidate = (
  zombie: IndexCandidate,
  game: Game,
  command: CommandContext,
): Outcome | null => {
  const died = starvedAt(game, zombie, command.now);
  if (died === null) return null;
  return {
    players: [],
    zombies: [{ zombie, after: null }],
    interactions: [newInteraction("starve", zombie, null, command, rfc3339(died))],
  };
};
