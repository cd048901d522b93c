/**
 * Feedings. A zombie's deadline is the latest of its feedings' deadlines. Each hunt that fed the zombie is stored with
 * its deadline, so that after a void the latest of the remaining ones applies. The first entry (`hunt: null`) combines
 * all feedings that cannot be voided.
 */
import { deadlineAt, feedingDeadlineFrom, starvedAt } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import type { Feeding, FeedingState, Player, StoredPlayer } from "../players/player.ts";
import { laterOf, rfc3339 } from "../time.ts";

/** The maximum number of stored hunts. Beyond it, the feeding with the earliest deadline becomes permanent. */
export const MAX_REMEMBERED_HUNTS = 8;

/**
 * Returns a function that chooses the feeding that ends, or ended, later on the wall clock. Comparing game times is not
 * enough: a deadline that passed before a day was added stays passed, although its game time is in the future again.
 */
const laterEnding = (game: Game, now: number) => {
  const isLater = (one: Feeding, other: Feeding): boolean => {
    const [ended, otherEnded] = [starvedAt(game, one, now), starvedAt(game, other, now)];
    if (ended === null || otherEnded === null)
      return ended === null && (otherEnded !== null || one.deadline > other.deadline);
    return ended > otherEnded;
  };
  return (one: Feeding, other: Feeding): Feeding => (isLater(other, one) ? other : one);
};

/** The later of two times of meals; `null` if neither is known. */
export const latestMeal = (one: string | null, other: string | null): string | null =>
  other === null ? one : laterOf(one, other);

/** Combines two feedings into one that cannot be voided. @param longer the one that ends later */
const combine = (longer: Feeding, one: Feeding, other: Feeding): Feeding => ({
  ...longer,
  hunt: null,
  at: latestMeal(one.at, other.at),
});

/** The feedings of a zombie, the one that cannot be voided first. */
const feedingsOf = ({
  meals,
  deadline,
  epoch,
  last_fed_at,
}: FeedingState): readonly [Feeding, ...Feeding[]] => {
  const [permanent, ...hunts] = meals;
  // If no feeding has the deadline, an earlier version of the service has fed the zombie without storing the feeding.
  const isDeadlineStored = meals.some((feeding) => feeding.deadline === deadline);
  return permanent !== undefined && isDeadlineStored
    ? [permanent, ...hunts]
    : [{ hunt: null, deadline, epoch, at: last_fed_at }];
};

// A single feeding is the same as the player's own deadline.
const omitIfSingle = (feedings: Feeding[]): Feeding[] => (feedings.length > 1 ? feedings : []);

/**
 * Adds a feeding to a zombie's feedings.
 * @param instant in milliseconds since 1970; the game clock must not have changed since then
 */
const withFeeding = (player: FeedingState, feeding: Feeding, game: Game, instant: number): Feeding[] => {
  const later = laterEnding(game, instant);
  const [permanent, ...hunts] = feedingsOf(player);
  if (feeding.hunt === null)
    return omitIfSingle([combine(later(permanent, feeding), permanent, feeding), ...hunts]);
  const allHunts = [...hunts, feeding];
  if (allHunts.length <= MAX_REMEMBERED_HUNTS) return [permanent, ...allHunts];
  const earliest = allHunts.reduce((one, other) => (later(one, other) === one ? other : one));
  return [
    combine(later(permanent, earliest), permanent, earliest),
    ...allHunts.filter((one) => one !== earliest),
  ];
};

/**
 * A feeding that has ended, with its end by the present clock. The snapshot by which the clock knows it may be dropped, and then
 * a day that was added since would let it begin again.
 */
const settled = (feeding: Feeding, game: Game, now: number): Feeding => {
  const ended = starvedAt(game, feeding, now);
  return ended === null ? feeding : { ...feeding, ...deadlineAt(game, ended) };
};

/**
 * Removes the feeding by a hunt from a player: the deadline becomes the latest of the remaining feedings.
 * @param now milliseconds since 1970
 * @returns `null` if the player has no feeding by this hunt
 */
export const withoutFeeding = (player: Player, hunt: string, game: Game, now: number): Player | null => {
  const feedings = player.state === "zombie" ? feedingsOf(player) : player.meals;
  const removed = feedings.find((feeding) => feeding.hunt === hunt);
  if (removed === undefined) return null;
  const remainingFeedings = feedings.filter((feeding) => feeding !== removed);
  const last = remainingFeedings.reduce(laterEnding(game, now));
  const { deadline, epoch } = last;
  const fedAt = remainingFeedings.map(({ at }) => at).reduce(latestMeal);
  const changed = {
    last_fed_at: player.last_fed_at === removed.at ? fedAt : player.last_fed_at,
    meals: omitIfSingle(remainingFeedings.map((one) => (one === last ? one : settled(one, game, now)))),
  };
  return player.state === "zombie" ? { ...player, ...changed, deadline, epoch } : { ...player, ...changed };
};

/** Whether a zombie's deadline may come from a hunt that is not stored, or is not stored any more. */
export const hasUnknownFeedings = (zombie: FeedingState): boolean =>
  feedingsOf(zombie).find(({ deadline }) => deadline === zombie.deadline)?.hunt === null;

/**
 * The feeding state that a zombie had when it starved, by the present clock. All its feedings had ended by then, also those
 * that the clock no longer knows to have ended.
 * @param diedAt when it starved, as an instant
 */
export const feedingsBefore = (
  { meals, last_fed_at }: Pick<StoredPlayer, "meals" | "last_fed_at">,
  diedAt: number,
  game: Game,
  now: number,
): FeedingState => ({
  ...deadlineAt(game, diedAt),
  last_fed_at,
  meals: meals.map((feeding) => ({
    ...feeding,
    ...deadlineAt(game, Math.min(starvedAt(game, feeding, now) ?? diedAt, diedAt)),
  })),
});

/**
 * Feeds a player at `instant`: the deadline becomes the later of the current one and `instant` plus a period. The game
 * clock must not have changed since `instant`.
 * @param hunt the id of the hunt that feeds; `null` for a feeding that cannot be voided
 */
export const asFed = <P extends FeedingState>(
  player: P,
  game: Game,
  instant: number,
  period: number,
  hunt: string | null = null,
): P => {
  const fed = feedingDeadlineFrom(game, instant, period);
  return {
    ...player,
    ...(player.deadline >= fed.deadline ? {} : fed),
    last_fed_at: laterOf(player.last_fed_at, rfc3339(instant)),
    meals: withFeeding(player, { hunt, ...fed, at: rfc3339(instant) }, game, instant),
  };
};
