/**
 * A model of DynamoDB, no better than it must be. Each partition key is a partition of its own, as it is once the
 * table has been split for heat: 1,000 write and 3,000 read units a second. What it has not used it keeps for a quarter
 * of a second, where DynamoDB often lends that of five minutes. Neither a single item nor a list that grows at its end
 * can be split further.
 * An item that a transaction writes is busy for a while: whatever else writes it then is refused.
 *
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html (the limits)
 * https://aws.amazon.com/blogs/database/part-3-scaling-dynamodb-how-partitions-hot-keys-and-split-for-heat-impact-performance/
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html (conflicts; units count twice)
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput.html (before the table is split)
 */
import type { Part, Use } from "./requests.ts";

export type Direction = "read" | "write";

export const LIMITS: Readonly<Record<Direction, number>> = { read: 3_000, write: 1_000 };
/** What is left of a partition's units, as of an instant. */
interface Bucket {
  left: number;
  at: number;
}

/** Milliseconds for which an item is busy in a transaction. */
export const BUSY = 10;

const SECOND = 1_000;
/** Of what a partition may take in a second, so much it may take at once. */
const KEPT = 0.25;

export interface Partitions {
  /** Takes the units of all of them, or of none when a partition has no room. @returns which of the two */
  take: (direction: Direction, uses: readonly Use[], now: number) => boolean;
  /** Of what kind the first of these items is that is busy; none where none is. */
  busyOne: (uses: readonly Use[], now: number) => string | undefined;
  /** Keeps items busy. */
  hold: (uses: readonly Use[], now: number) => void;
  /** The most units that a partition of a kind took in a second. */
  peaks: Record<Direction, Map<string, number>>;
  /** How many calls of a kind found no room. */
  throttled: Record<Direction, Map<string, number>>;
  /** The most units of all partitions in a second: of the table, and of each index. */
  totals: Record<Direction, Map<string, number>>;
}

const add = (map: Map<string, number>, key: string, units: number): number => {
  const sum = (map.get(key) ?? 0) + units;
  map.set(key, sum);
  return sum;
};

const atLeast = (map: Map<string, number>, key: string, value: number): void => {
  if (value > (map.get(key) ?? 0)) map.set(key, value);
};

const both = (): Record<Direction, Map<string, number>> => ({ read: new Map(), write: new Map() });

export const makePartitions = (): Partitions => {
  const [peaks, throttled, totals] = [both(), both(), both()];
  const buckets: Record<Direction, Map<string, Bucket>> = { read: new Map(), write: new Map() };
  let [loads, sums] = [both(), both()];
  let busy = new Map<string, number>();
  let second = -1;

  const turn = (now: number): void => {
    if (Math.floor(now / SECOND) === second) return;
    second = Math.floor(now / SECOND);
    [loads, sums] = [both(), both()];
    // Those that are full again are as if nobody had ever asked for them.
    for (const own of Object.values(buckets)) {
      for (const [key, { at }] of own) if (now - at > SECOND * KEPT) own.delete(key);
    }
    busy = new Map([...busy].filter(([, until]) => until > now));
  };

  const leftOf = (direction: Direction, key: string, now: number): number => {
    const limit = LIMITS[direction];
    const bucket = buckets[direction].get(key);
    if (bucket === undefined) return limit * KEPT;
    return Math.min(limit * KEPT, bucket.left + ((now - bucket.at) / SECOND) * limit);
  };

  return {
    peaks,
    throttled,
    totals,
    take(direction, uses, now) {
      turn(now);
      const [load, sum, most] = [loads[direction], sums[direction], peaks[direction]];
      const wanted = new Map<string, number>();
      let crowded: Part | undefined;
      for (const { parts } of uses) {
        for (const part of parts) {
          if (part.key === null || crowded !== undefined) continue;
          const units = add(wanted, part.key, part.units);
          if (units > leftOf(direction, part.key, now)) crowded = part;
        }
      }
      if (crowded !== undefined) {
        add(throttled[direction], crowded.kind, 1);
        return false;
      }
      for (const [key, units] of wanted) {
        buckets[direction].set(key, { left: leftOf(direction, key, now) - units, at: now });
      }
      for (const { parts } of uses) {
        for (const { key, kind, units } of parts) {
          const place = kind.includes(" ") ? kind.slice(0, kind.indexOf(" ")) : "table";
          atLeast(totals[direction], place, add(sum, place, units));
          if (key !== null) atLeast(most, kind, add(load, key, units));
        }
      }
      return true;
    },
    busyOne: (uses, now) =>
      uses.find(({ item }) => item !== null && (busy.get(item) ?? 0) > now)?.parts[0]?.kind,
    hold(uses, now) {
      for (const { item } of uses) if (item !== null) busy.set(item, now + BUSY);
    },
  };
};
