/** Writes transactions. Conflicts and throttling are retried while time is left. */
import { randomUUID } from "node:crypto";
import { DomainError } from "../domain/domainError.ts";
import type { Database, Write } from "../dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../dynamodb/errors.ts";
import type { Key } from "../dynamodb/key.ts";
import { MAX_CALL_MS } from "../runtime/awsClient.ts";

/** With less time than this, in milliseconds, nothing is tried again: a call that hangs would outlast the function. */
export const RETRY_RESERVE_MS = MAX_CALL_MS;

const FIRST_PAUSE = 10;

const LONGEST_PAUSE = 500;

/** The time left of a command beside a request, which nobody waits for. */
export const NO_DEADLINE = (): number => 60_000;

/** The response while the database cannot be used. @param cause what it was that failed, for the log */
export const unavailable = (cause?: unknown): DomainError =>
  new DomainError("unavailable", "The database is too busy to answer. Try again shortly.", {
    retryAfter: 2,
    cause,
  });

export const fullJitter = (tries: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.random() * Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** tries));
  });

/** A write by which a transaction whose answer was lost is known to have happened. */
const markOf = (writes: readonly Write[]): Key | undefined => {
  for (const write of writes) {
    // Items with a fresh id and no condition: interactions and log entries.
    if ("put" in write && write.expect === undefined) return { pk: write.put.pk, sk: write.put.sk };
  }
  return undefined;
};

/**
 * Writes a transaction; conflicts and throttling are waited out while there is time.
 * @param timeLeft milliseconds until the caller must have answered
 * @throws ConditionFailed when something has moved; DomainError `unavailable` when time runs out
 */
export const commit = async (
  db: Database,
  writes: readonly Write[],
  timeLeft: () => number,
): Promise<void> => {
  if (writes.length === 0) return;
  // One token for all tries: should an answer be lost, the next try changes nothing.
  const token = randomUUID();
  let answerLost = false;
  for (let tries = 0; ; tries += 1) {
    try {
      await db.transact(writes, token);
      return;
    } catch (error) {
      if (error instanceof ConditionFailed) {
        // A database that has forgotten the token judges our own write as someone else's.
        const mark = answerLost ? markOf(writes) : undefined;
        if (mark !== undefined && (await db.get(mark)) !== undefined) return;
        throw error;
      }
      if (!(error instanceof DatabaseBusy)) throw error;
      answerLost = true;
      if (timeLeft() < RETRY_RESERVE_MS) throw unavailable(error);
      await fullJitter(tries);
    }
  }
};

/** Reads; a database that is throttled or away is a refusal. @throws DomainError `unavailable` */
export const mapBusyToUnavailable = async <T>(read: Promise<T>): Promise<T> => {
  try {
    return await read;
  } catch (error) {
    throw error instanceof DatabaseBusy ? unavailable(error) : error;
  }
};
