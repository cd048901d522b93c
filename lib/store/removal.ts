/** Removing whatever a range of the table holds, however much that is. */
import type { Range, Write } from "../dynamodb/database.ts";
import { chunk } from "../runtime/chunk.ts";
import { mapBusyToUnavailable, unavailable } from "./commit.ts";
import type { Store } from "./store.ts";

/** So many are looked up at a time. */
const PAGE = 500;

/**
 * One transaction takes so many removals. The deletion of an account has two ranges in its last one, where there is
 * room for 100 writes and about 40 others are.
 */
const AT_ONCE = 30;

/** Time kept for the account itself, in milliseconds. */
const RESERVE = 3_000;

/** How long removing may take, and who is to hear that it is much. */
export interface RemovalOptions {
  timeLeft: () => number;
  /** Called before the first of several transactions. */
  onMany?: (() => Promise<void>) | undefined;
}

/**
 * The writes that remove every item of a range; when there are many, all but the last of them are removed right away.
 * @throws DomainError `unavailable` when time runs out; what is removed by then stays so
 */
export const removalWrites = async (
  { db, commit }: Store,
  range: Range,
  { timeLeft, onMany }: RemovalOptions,
): Promise<Write[]> => {
  for (let isFirst = true; ; isFirst = false) {
    const { items, next } = await mapBusyToUnavailable(db.query({ ...range, consistent: true }, PAGE));
    const removals = items.map((item): Write => ({ remove: { pk: item.pk, sk: item.sk } }));
    if (next === undefined && removals.length <= AT_ONCE) return removals;
    if (isFirst) await onMany?.();
    for (const batch of chunk(removals, AT_ONCE)) {
      if (timeLeft() < RESERVE) throw unavailable();
      await commit(batch, timeLeft);
    }
  }
};
