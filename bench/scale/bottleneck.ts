/** Which kind of partition is full first, computed from what each operation consumes of it on average. */
import type { Rates } from "../../scripts/cost/trafficModel.ts";
import { type Direction, LIMITS } from "./partitions.ts";
import type { Load, Recipe } from "./requests.ts";

/** What each partition of a kind consumes in a second. */
export interface PartitionLoad {
  kind: string;
  direction: Direction;
  units: number;
  /** Of its limit; 1 is full. */
  share: number;
}

const loadsOf = ({ steps }: Recipe): (Load & { direction: Direction })[] =>
  steps.flatMap(({ kind, uses }) =>
    uses
      .flatMap(({ loads }) => loads)
      .map((load) => ({ ...load, direction: kind === "read" ? "read" : "write" })),
  );

/** Average units of one request of an operation. */
export const unitsOf = (recipes: readonly Recipe[]): Record<Direction, number> => {
  const sums = { read: 0, write: 0 };
  for (const { direction, units } of recipes.flatMap(loadsOf)) sums[direction] += units / recipes.length;
  return sums;
};

/** The load of each kind of partition under some traffic, the fullest first. */
export type Weigh = (rates: Rates) => PartitionLoad[];

export const makeWeigh =
  (recipes: ReadonlyMap<string, readonly Recipe[]>, shards: number): Weigh =>
  (rates) => {
    const loads = new Map<string, PartitionLoad>();
    for (const [operation, perSecond] of Object.entries(rates)) {
      const recorded = recipes.get(operation);
      if (recorded === undefined) throw new Error(`${operation} was not recorded`);
      for (const { direction, kind, shard, units } of recorded.flatMap(loadsOf)) {
        if (kind === null) continue;
        const key = `${direction} ${kind}`;
        const each = (units * perSecond) / recorded.length / (shard === null ? 1 : shards);
        const sum = (loads.get(key)?.units ?? 0) + each;
        loads.set(key, { kind, direction, units: sum, share: sum / LIMITS[direction] });
      }
    }
    return [...loads.values()].toSorted((one, other) => other.share - one.share);
  };
