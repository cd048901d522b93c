/**
 * Feedings. A zombie's deadline is the latest of its feedings' deadlines. Each hunt that fed the zombie is stored with its
 * deadline, so that a void can fall back to the latest of the others. The first entry (`hunt: null`) combines all
 * feedings that cannot be voided.
 */
import { type Game, starvedAt, wallDeadline } from "./clock.ts";
import type { Feeding, FeedingState, Player } from "./player.ts";
import { laterOf } from "./time.ts";

/** The number of stored hunts. Beyond it, the hunt with the earliest deadline can no longer be voided. */
export const MAX_REMEMBERED_HUNTS = 8;

/**
 * Compares feedings by when they end, or ended, on the wall clock. Game time is not enough: a deadline that passed before
 * a day was added stays passed, also if it is in the future of game time again.
 */
const longerBy = (game: Game, now: number) => {
  const end = (feeding: Feeding): number =>
    starvedAt(game, feeding, now) ?? wallDeadline(game, feeding.deadline, now);
  return (one: Feeding, other: Feeding): Feeding => (end(other) > end(one) ? other : one);
};

const latest = (one: string | null, other: string | null): string | null =>
  other === null ? one : laterOf(one, other);

const combine = (longer: Feeding, one: Feeding, other: Feeding): Feeding => ({
  ...longer,
  hunt: null,
  at: latest(one.at, other.at),
});

/** The feedings of a player, the one that cannot be voided first. Those of a corpse are returned as stored. */
const feedingsOf = ({ meals, deadline, epoch, last_fed_at }: FeedingState): readonly Feeding[] => {
  if (deadline === null || epoch === null) return meals;
  // An older version, which does not store feedings, has fed the zombie: its feedings are not known.
  const known = meals.some((feeding) => feeding.deadline === deadline);
  return known ? meals : [{ hunt: null, deadline, epoch, at: last_fed_at }];
};

// A single feeding is the same as the player's own deadline.
const omitIfSingle = (meals: Feeding[]): Feeding[] => (meals.length > 1 ? meals : []);

/**
 * Adds a feeding to a zombie's feedings.
 * @param instant in milliseconds since 1970; the clock must not have changed since
 */
export const withFeeding = (
  player: FeedingState,
  feeding: Feeding,
  game: Game,
  instant: number,
): Feeding[] => {
  const longer = longerBy(game, instant);
  const [lasting, ...hunts] = feedingsOf(player);
  if (lasting === undefined) return [];
  if (feeding.hunt === null)
    return omitIfSingle([combine(longer(lasting, feeding), lasting, feeding), ...hunts]);
  const all = [...hunts, feeding];
  if (all.length <= MAX_REMEMBERED_HUNTS) return [lasting, ...all];
  const least = all.reduce((one, other) => (longer(one, other) === one ? other : one));
  return [combine(longer(lasting, least), lasting, least), ...all.filter((one) => one !== least)];
};

/**
 * Removes the feeding by a hunt from a player: the deadline becomes the latest of the other feedings.
 * @param now milliseconds since 1970
 * @returns `null` if the player has no feeding by this hunt
 */
export const withoutFeeding = (player: Player, hunt: string, game: Game, now: number): Player | null => {
  const meals = feedingsOf(player);
  const taken = meals.find((feeding) => feeding.hunt === hunt);
  if (taken === undefined) return null;
  const others = meals.filter((feeding) => feeding !== taken);
  const { deadline, epoch } = others.reduce(longerBy(game, now));
  const fedAt = others.map(({ at }) => at).reduce(latest);
  return {
    ...player,
    ...(player.deadline === null ? {} : { deadline, epoch }),
    last_fed_at: player.last_fed_at === taken.at ? fedAt : player.last_fed_at,
    meals: omitIfSingle(others),
  };
};

/** Whether the player's deadline may come from a hunt that is not stored, or is not stored any more. */
export const hasUnknownFeedings = (player: Player): boolean =>
  player.deadline !== null &&
  feedingsOf(player).find(({ deadline }) => deadline === player.deadline)?.hunt === null;
