/** Which partition is full first, and at how many hunts a second: by what each operation takes of it on average. */

import type { Rates } from "../../scripts/cost/trafficModel.ts";
import { type Direction, LIMITS } from "./partitions.ts";
import type { Recipe } from "./requests.ts";
import type { KeyForm, Role } from "./roles.ts";

/** What one partition of a kind takes in a second, and all partitions together. */
export interface Load {
  kind: string;
  direction: Direction;
  units: number;
  /** Of what its limit is. */
  part: number;
}

/** How many partitions of a kind share the load: one for each shard; none to speak of where each player has their own. */
const partitionsOf = ({ kind, pieces }: KeyForm, shards: number): number => {
  if (pieces.some((piece) => piece === "new" || "person" in piece)) return Number.POSITIVE_INFINITY;
  return kind.includes("%") ? shards : 1;
};

/** Units that a request takes of each partition of a kind, on average over its recordings. */
const takenBy = (recipes: readonly Recipe[], shards: number): Map<string, Load> => {
  const loads = new Map<string, Load>();
  const add = (direction: Direction, partition: KeyForm, units: number): void => {
    const share = units / recipes.length / partitionsOf(partition, shards);
    if (share === 0) return;
    const key = `${direction} ${partition.kind}`;
    const sum = (loads.get(key)?.units ?? 0) + share;
    loads.set(key, { kind: partition.kind, direction, units: sum, part: sum / LIMITS[direction] });
  };
  const addRole = (direction: Direction, { partition, units, entries }: Role): void => {
    add(direction, partition, units);
    for (const entry of entries) add(direction, entry.partition, entry.units);
  };
  for (const { steps } of recipes) {
    for (const { kind, roles } of steps) {
      for (const role of roles) addRole(kind === "read" ? "read" : "write", role);
    }
  }
  return loads;
};

/** What traffic loads the partitions of each kind with, the fullest first. */
export type Weigh = (rates: Rates) => Load[];

/** @throws Error when an operation was not recorded */
export const makeScales = (recipes: ReadonlyMap<string, readonly Recipe[]>, shards: number): Weigh => {
  const taken = new Map([...recipes].map(([operation, own]) => [operation, takenBy(own, shards)]));
  return (rates) => {
    const sums = new Map<string, Load>();
    for (const [operation, perSecond] of Object.entries(rates)) {
      const loads = taken.get(operation);
      if (loads === undefined) throw new Error(`${operation} was not recorded`);
      for (const [key, load] of loads) {
        const units = (sums.get(key)?.units ?? 0) + load.units * perSecond;
        sums.set(key, { ...load, units, part: units / LIMITS[load.direction] });
      }
    }
    return [...sums.values()].toSorted((one, other) => other.part - one.part);
  };
};

/** All units of an operation, on average over its recordings. */
export const unitsOf = (recipes: readonly Recipe[]): Record<Direction, number> => {
  const sum = { read: 0, write: 0 };
  for (const { steps } of recipes) {
    for (const { kind, roles } of steps) {
      const direction = kind === "read" ? "read" : "write";
      for (const { units, entries } of roles) {
        sum[direction] += (units + entries.reduce((all, one) => all + one.units, 0)) / recipes.length;
      }
    }
  }
  return sum;
};
