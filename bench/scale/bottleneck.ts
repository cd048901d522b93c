/** Computes which kind of partition reaches its limit first, from the average units of each operation. */
import type { Rates } from "../../scripts/cost/trafficModel.ts";
import { shownReads } from "./environments.ts";
import { type Direction, LIMITS } from "./partitions.ts";
import type { Load, Recipe } from "./requests.ts";
import type { RecordedGame } from "./simulate.ts";

/** The load of each partition of a kind, per second. */
export interface PartitionLoad {
  kind: string;
  direction: Direction;
  units: number;
  /** The share of its limit; 1 is the limit. */
  share: number;
}

const loadsOf = ({ steps }: Recipe): (Load & { direction: Direction; isShownGame: boolean })[] =>
  steps.flatMap(({ kind, uses }) =>
    uses.flatMap(({ loads, isShownGame }) =>
      loads.map((load) => ({ ...load, isShownGame, direction: kind === "read" ? "read" : "write" })),
    ),
  );

/** Returns the average units of one request of an operation. */
export const unitsOf = (recipes: readonly Recipe[]): Record<Direction, number> => {
  const sums = { read: 0, write: 0 };
  for (const { direction, units } of recipes.flatMap(loadsOf)) sums[direction] += units / recipes.length;
  return sums;
};

/** Returns the load of each kind of partition under some traffic, the one closest to its limit first. */
export const partitionLoads = ({ recipes, shards }: RecordedGame, rates: Rates): PartitionLoad[] => {
  const loads = new Map<string, PartitionLoad>();
  for (const [operation, perSecond] of Object.entries(rates)) {
    const recorded = recipes.get(operation);
    if (recorded === undefined) throw new Error(`${operation} was not recorded`);
    for (const { direction, kind, shard, units, isShownGame } of recorded.flatMap(loadsOf)) {
      if (kind === null) continue;
      const key = `${direction} ${kind}`;
      const times = isShownGame ? shownReads(perSecond) : perSecond;
      const each = (units * times) / recorded.length / (shard === null ? 1 : shards);
      const sum = (loads.get(key)?.units ?? 0) + each;
      loads.set(key, { kind, direction, units: sum, share: sum / LIMITS[direction] });
    }
  }
  return [...loads.values()].toSorted((one, other) => other.share - one.share);
};

/** The partition that is full first, and the hunts per second at which it is. */
export interface Limit {
  first: PartitionLoad;
  hunts: number;
}

/** Above every limit. */
const MOST_HUNTS = 100_000;

/** Computes which kind of partition reaches its limit first. @param ratesOf the traffic at a number of hunts per second */
export const firstLimit = (game: RecordedGame, ratesOf: (hunts: number) => Rates): Limit => {
  const fullest = (hunts: number): PartitionLoad => {
    const [first] = partitionLoads(game, ratesOf(hunts));
    if (first === undefined) throw new Error("no partition has a load");
    return first;
  };
  let [below, above] = [0, MOST_HUNTS];
  while (above - below > 0.1) {
    const middle = (below + above) / 2;
    if (fullest(middle).share > 1) above = middle;
    else below = middle;
  }
  return { first: fullest(above), hunts: above };
};
