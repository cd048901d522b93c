/** Removes all items of a range. */
import type { Range, Write } from "../../dynamodb/database.ts";
import { chunk } from "../../runtime/chunk.ts";
import { mapBusyToUnavailable, unavailable } from "../commit.ts";
import type { Store } from "../store.ts";

const PAGE_SIZE = 500;

/** The number of removals in one transaction before the last one. */
const BATCH_SIZE = 20;

/**
 * The most removals that are left to the last transaction, which has at most 100 writes. That of a deleted account has two
 * such ranges, up to 20 writes of subscriptions, 19 of guards and words, 15 of names, some for each signature, and about 20
 * others.
 */
const MAX_LAST = 5;

/** The time reserved for the deletion of the account itself. */
const DELETION_RESERVE_MS = 3_000;

export interface RemovalOptions {
  /** Returns the milliseconds that are left. */
  timeLeft: () => number;
  /** Called before the first removal if one transaction is not enough. */
  beforeFirstBatch?: (() => Promise<void>) | undefined;
}

/**
 * The writes that remove all items of a range. If there are more than a few, they are removed immediately.
 * @throws DomainError `unavailable` if time runs out; removed items stay removed
 */
export const removalWrites = async (
  { db, commit }: Store,
  range: Range,
  { timeLeft, beforeFirstBatch }: RemovalOptions,
): Promise<Write[]> => {
  for (let isFirst = true; ; isFirst = false) {
    const { items, next } = await mapBusyToUnavailable(db.query({ ...range, consistent: true }, PAGE_SIZE));
    const removals = items.map((item): Write => ({ remove: { pk: item.pk, sk: item.sk } }));
    if (next === undefined && removals.length <= MAX_LAST) return removals;
    if (isFirst) await beforeFirstBatch?.();
    for (const batch of chunk(removals, BATCH_SIZE)) {
      if (timeLeft() < DELETION_RESERVE_MS) throw unavailable();
      await commit(batch, timeLeft);
    }
  }
};
