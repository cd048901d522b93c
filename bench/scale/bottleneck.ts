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

/** Calls `add` for each load of the traffic, with the average units per second. @throws Error for an unknown operation */
const forEachLoad = (
  { recipes }: RecordedGame,
  rates: Rates,
  add: (load: Load & { direction: Direction }, units: number) => void,
): void => {
  for (const [operation, perSecond] of Object.entries(rates)) {
    const recorded = recipes.get(operation);
    if (recorded === undefined) throw new Error(`${operation} was not recorded`);
    for (const load of recorded.flatMap(loadsOf)) {
      const times = load.isShownGame ? shownReads(perSecond) : perSecond;
      add(load, (load.units * times) / recorded.length);
    }
  }
};

/** Returns the load of each kind of partition under some traffic. */
export const partitionLoads = (game: RecordedGame, rates: Rates): PartitionLoad[] => {
  const loads = new Map<string, PartitionLoad>();
  forEachLoad(game, rates, ({ direction, kind, shard }, units) => {
    if (kind === null) return;
    const key = `${direction} ${kind}`;
    const sum = (loads.get(key)?.units ?? 0) + units / (shard === null ? 1 : game.shards);
    loads.set(key, { kind, direction, units: sum, share: sum / LIMITS[direction] });
  });
  return [...loads.values()];
};

/** Returns the units per second of the table and of each index under some traffic. */
export const placeLoads = (game: RecordedGame, rates: Rates): Map<string, Record<Direction, number>> => {
  const places = new Map<string, Record<Direction, number>>();
  forEachLoad(game, rates, ({ place, direction }, units) => {
    const sums = places.get(place) ?? { read: 0, write: 0 };
    places.set(place, { ...sums, [direction]: sums[direction] + units });
  });
  return places;
};

/** The load at which a kind of partition reaches its limit. */
export interface Limit extends Pick<PartitionLoad, "kind" | "direction"> {
  /** Hunts per second. */
  hunts: number;
}

const MOST_HUNTS = 1_000_000;

/**
 * Computes the loads at which partitions reach their limits, the lowest first.
 * @param ratesOf returns the traffic at a number of hunts per second
 */
export const limitsOf = (game: RecordedGame, ratesOf: (hunts: number) => Rates): Limit[] => {
  const loadsAt = (hunts: number): PartitionLoad[] => partitionLoads(game, ratesOf(hunts));
  return loadsAt(1)
    .map(({ kind, direction }): Limit => {
      // The reads of the game item for display are not proportional to the requests.
      let [below, above] = [0, MOST_HUNTS];
      while (above - below > 0.5) {
        const middle = (below + above) / 2;
        const load = loadsAt(middle).find((one) => one.kind === kind && one.direction === direction);
        if ((load?.share ?? 0) > 1) above = middle;
        else below = middle;
      }
      return { kind, direction, hunts: above };
    })
    .toSorted((one, other) => one.hunts - other.hunts);
};
