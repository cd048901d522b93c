/** Commits transactions. Conflicts and throttling are retried while time is left. */
import { randomUUID } from "node:crypto";
import { DomainError } from "../domain/domainError.ts";
import type { Database, Write } from "../dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../dynamodb/errors.ts";
import type { Key } from "../dynamodb/key.ts";
import { MAX_CALL_MS } from "../runtime/awsClient.ts";

/** With less time left than this, nothing is retried, because a call that hangs could exceed the function's timeout. */
export const RETRY_RESERVE_MS = MAX_CALL_MS;

const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 500;

/** A `timeLeft` for work that no caller waits for: it always has a minute left. */
export const NO_DEADLINE = (): number => 60_000;

/** The domain error for a busy or unreachable database. @param cause for the log */
export const unavailable = (cause?: unknown): DomainError =>
  new DomainError("unavailable", "The database is too busy. Try again shortly.", {
    retryAfter: 2,
    cause,
  });

/** Waits for a random time, of which the maximum doubles with each try. */
export const fullJitter = (tries: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries));
  });

/** The key of an item that exists only if this transaction was committed; `undefined` if it writes no such item. */
const uniqueKeyOf = (writes: readonly Write[]): Key | undefined => {
  for (const write of writes) {
    if ("put" in write && write.hasNewKey) return { pk: write.put.pk, sk: write.put.sk };
  }
  return undefined;
};

/**
 * Commits a transaction.
 * @param timeLeft returns the milliseconds until the caller must respond
 * @throws ConditionFailed if an item has changed; DomainError `unavailable` if time runs out
 */
export const commit = async (
  db: Database,
  writes: readonly Write[],
  timeLeft: () => number,
): Promise<void> => {
  if (writes.length === 0) return;
  // One token for all attempts: if a response was lost, the retry changes nothing.
  const token = randomUUID();
  let mayBeCommitted = false;
  for (let tries = 0; ; tries += 1) {
    try {
      await db.transact(writes, token);
      return;
    } catch (error) {
      if (error instanceof ConditionFailed) {
        // If the token has expired, the condition may have failed because of this call's own earlier attempt.
        const key = mayBeCommitted ? uniqueKeyOf(writes) : undefined;
        if (key !== undefined && (await db.get(key)) !== undefined) return;
        throw error;
      }
      if (!(error instanceof DatabaseBusy)) throw error;
      mayBeCommitted = true;
      if (timeLeft() < RETRY_RESERVE_MS) throw unavailable(error);
      await fullJitter(tries);
    }
  }
};

/** DynamoDB's limit for a transaction. */
export const MAX_WRITES = 100;

/**
 * Commits writes of a command before its own transaction.
 * @throws DomainError `unavailable` if an item has changed, or time runs out: the request can be repeated
 */
export const commitBefore = (
  store: { commit: (writes: readonly Write[], timeLeft: () => number) => Promise<void> },
  writes: readonly Write[],
  timeLeft: () => number,
): Promise<void> =>
  store.commit(writes, timeLeft).catch((error: unknown) => {
    throw error instanceof ConditionFailed ? unavailable(error) : error;
  });

/** Awaits a read. @throws DomainError `unavailable` instead of `DatabaseBusy` */
export const mapBusyToUnavailable = async <T>(read: Promise<T>): Promise<T> => {
  try {
    return await read;
  } catch (error) {
    throw error instanceof DatabaseBusy ? unavailable(error) : error;
  }
};
