/** The behaviour of the simulated players (docs/simulator.md). The rules are those of `lib/domain`. */
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** A number from 0 (included) to 1 (excluded). */
export type Random = () => number;

/** Returns a generator of random numbers. The same seed gives the same numbers. */
export const randomOf = (seed: number): Random => {
  const generator = xoroshiro128plus(seed);
  return () => uniformFloat64(generator);
};

/** An exponentially distributed number with mean 1. */
const exponential = (random: Random): number => -Math.log(1 - random());

/** A Poisson-distributed number. Its mean must be small: a few hundred at most. */
export const poisson = (mean: number, random: Random): number => {
  let count = 0;
  for (let passed = exponential(random); passed < mean; passed += exponential(random)) count += 1;
  return count;
};

/** The traits of a player. The mean of each over all players is about 1. */
export interface Traits {
  /** How well and how much they hunt as a zombie; 0 for one who has lost interest. */
  skill: number;
  /** How easily they are tagged as a human. */
  exposure: number;
}

/** A share of the players gives up on being tagged, and starves without a hunt. */
const UNINTERESTED = 0.25;

/** The exposures of careful, average and reckless players, a third of the players each. */
const EXPOSURES = [0.3, 0.9, 1.8] as const;

export const newTraits = (random: Random): Traits => ({
  skill: random() < UNINTERESTED ? 0 : exponential(random) / (1 - UNINTERESTED),
  exposure: EXPOSURES[Math.floor(random() * EXPOSURES.length)] ?? 1,
});

/** How busy the campus is, for each hour of the day, with a mean of 1: nobody hunts at night. */
const ACTIVITY = [0, 0, 0, 0, 0, 0, 0, 0.5, 1.5, 2, 2, 2, 2, 1.5, 1.5, 2, 2, 2, 1.5, 1.5, 1, 0.5, 0.5, 0];

export const activityAt = (hour: number): number => ACTIVITY[hour] ?? 0;

/** Humans at a mission are tagged this many times as easily, and zombies at a mission hunt this much more. */
export const ON_MISSION = 3;

/** A zombie hunts this much more in the last quarter of its feeding period. */
const HUNGRY = 2;

/** How eagerly a zombie hunts. @param left the share of the feeding period that is left */
export const eagerness = ({ skill }: Traits, left: number): number => skill * (left < 0.25 ? HUNGRY : 1);
