/**
 * A simple model of DynamoDB. Each partition key has its own partition, as after a split for heat, with 1,000 write and
 * 3,000 read units per second. A partition saves the unused units of a quarter of a second; DynamoDB often saves those
 * of five minutes. An item that a transaction writes is busy for a short time, in which other writes of it are rejected.
 *
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html (the limits)
 * https://aws.amazon.com/blogs/database/part-3-scaling-dynamodb-how-partitions-hot-keys-and-split-for-heat-impact-performance/
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/transaction-apis.html (conflicts; units count twice)
 */

export type Direction = "read" | "write";

/** Units per second of one partition. */
export const LIMITS: Readonly<Record<Direction, number>> = { read: 3_000, write: 1_000 };
const BURST_SECONDS = 0.25;
/** The time for which a transaction keeps an item busy. */
export const BUSY_MS = 10;
const SECOND_MS = 1_000;

interface Bucket {
  left: number;
  at: number;
}

/** The partitions of the table and its indexes. All times are in milliseconds. */
export class Partitions {
  /** The number of throttled calls. */
  readonly throttled: Record<Direction, number> = { read: 0, write: 0 };
  readonly #buckets: Record<Direction, Map<string, Bucket>> = { read: new Map(), write: new Map() };
  readonly #busyUntil = new Map<string, number>();

  /**
   * Consumes all units, or none if a partition has too few left.
   * @param wanted the units by partition, without those that cannot reach their limit
   * @returns whether they were consumed
   */
  consume(direction: Direction, wanted: ReadonlyMap<string, number>, now: number): boolean {
    const limit = LIMITS[direction];
    const buckets = this.#buckets[direction];
    const leftOf = (key: string): number => {
      const bucket = buckets.get(key);
      const most = limit * BURST_SECONDS;
      return bucket === undefined
        ? most
        : Math.min(most, bucket.left + ((now - bucket.at) / SECOND_MS) * limit);
    };
    for (const [key, units] of wanted) {
      if (units <= leftOf(key)) continue;
      this.throttled[direction] += 1;
      return false;
    }
    for (const [key, units] of wanted) buckets.set(key, { left: leftOf(key) - units, at: now });
    return true;
  }

  /** Whether a transaction keeps one of the items busy. */
  isBusy(items: readonly string[], now: number): boolean {
    return items.some((item) => (this.#busyUntil.get(item) ?? 0) > now);
  }

  /** Keeps items busy for {@link BUSY_MS} from now. */
  keepBusy(items: readonly string[], now: number): void {
    for (const item of items) this.#busyUntil.set(item, now + BUSY_MS);
  }
}
