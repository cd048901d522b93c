/**
 * Meals: what a zombie's deadline is the latest of. Each hunt that fed it is remembered with the deadline that it
 * asked for, so that taking one back leaves the latest of the others; what cannot be taken back is one meal, the first.
 */
import { type Game, starvedAt, wallDeadline } from "./clock.ts";
import type { Feeding, FeedingState, Player } from "./player.ts";
import { laterOf } from "./time.ts";

/** So many hunts are remembered; of more, the one that asked for the least cannot be taken back any more. */
export const MAX_REMEMBERED_HUNTS = 8;

/**
 * Compares meals by when they run out, or ran out, on the wall clock. In game time they cannot be compared: one that
 * ran out before days were added stays so, also where its deadline has come to lie ahead again.
 */
const longerBy = (game: Game, now: number) => {
  const end = (meal: Feeding): number => starvedAt(game, meal, now) ?? wallDeadline(game, meal.deadline, now);
  return (one: Feeding, other: Feeding): Feeding => (end(other) > end(one) ? other : one);
};

const latest = (one: string | null, other: string | null): string | null =>
  other === null ? one : laterOf(one, other);

const together = (longer: Feeding, one: Feeding, other: Feeding): Feeding => ({
  ...longer,
  hunt: null,
  at: latest(one.at, other.at),
});

/** What the player lives by, the meal that cannot be taken back first; a corpse's are as they were. */
const mealsOf = ({ meals, deadline, epoch, last_fed_at }: FeedingState): readonly Feeding[] => {
  if (deadline === null || epoch === null) return meals;
  // Fed by somebody who does not write meals down: what it was fed by is not known any more.
  const known = meals.some((meal) => meal.deadline === deadline);
  return known ? meals : [{ hunt: null, deadline, epoch, at: last_fed_at }];
};

// A single meal says no more than the player's own deadline.
const worthKeeping = (meals: Feeding[]): Feeding[] => (meals.length > 1 ? meals : []);

/**
 * The meals of a zombie that is fed.
 * @param instant when, in milliseconds since 1970; the clock has not changed since
 */
export const withFeeding = (player: FeedingState, meal: Feeding, game: Game, instant: number): Feeding[] => {
  const longer = longerBy(game, instant);
  const [lasting, ...hunts] = mealsOf(player);
  if (lasting === undefined) return [];
  if (meal.hunt === null) return worthKeeping([together(longer(lasting, meal), lasting, meal), ...hunts]);
  const all = [...hunts, meal];
  if (all.length <= MAX_REMEMBERED_HUNTS) return [lasting, ...all];
  const least = all.reduce((one, other) => (longer(one, other) === one ? other : one));
  return [together(longer(lasting, least), lasting, least), ...all.filter((one) => one !== least)];
};

/**
 * The player without the meal that a hunt was: the deadline is the latest of what else they were fed by.
 * @param now milliseconds since 1970
 * @returns `null` when the hunt is not among the meals that they live by
 */
export const withoutFeeding = (player: Player, hunt: string, game: Game, now: number): Player | null => {
  const meals = mealsOf(player);
  const taken = meals.find((meal) => meal.hunt === hunt);
  if (taken === undefined) return null;
  const others = meals.filter((meal) => meal !== taken);
  const { deadline, epoch } = others.reduce(longerBy(game, now));
  const fedAt = others.map(({ at }) => at).reduce(latest);
  return {
    ...player,
    ...(player.deadline === null ? {} : { deadline, epoch }),
    last_fed_at: player.last_fed_at === taken.at ? fedAt : player.last_fed_at,
    meals: worthKeeping(others),
  };
};

/** Whether what the player lives by may be a hunt that was not written down, or is remembered no more. */
export const hasUnknownFeedings = (player: Player): boolean =>
  player.deadline !== null &&
  mealsOf(player).find(({ deadline }) => deadline === player.deadline)?.hunt === null;
