/**
 * How a command is carried out: read what the rule needs, judge, write everything in one transaction on
 * condition that nothing read has moved. Who loses a race reads and judges again, and so hears the rule's
 * own answer.
 */
import { randomUUID } from "node:crypto";
import { Refusal } from "../domain/domainError.ts";
import { type Database, DatabaseBusy, type Put, Stale, type Write } from "../dynamodb/database.ts";
import type { Key } from "../dynamodb/key.ts";
import { LONGEST_CALL } from "../runtime/awsClient.ts";
import { type Changes, writesOf } from "./changes.ts";
import { parseStoredAnswer, type StoredAnswer } from "./items.ts";
import { keys } from "./keys.ts";

/** An answer as it goes out; `null` for an empty body. */
export interface Answer {
  status: number;
  body: string | null;
  /** The body as it is stored for retries, where that is not `body`. */
  stored?: string | null;
}

/** A request that is to be carried out once, however often it comes (contract, "retries"). */
export interface Once {
  /** The id of the player whose key it is. */
  who: string;
  key: string;
  /** Of method, path and body: another request with the same key is refused. */
  fingerprint: string;
}

/** What one attempt came to: the changes and the answer, or changes that go with a refusal. */
export type Decision = { changes: Changes; answer: Answer } | { changes: Changes; refusal: Refusal };

/** How long stored responses are kept, in seconds. */
export const ANSWER_KEPT = 24 * 60 * 60;

/** With less time than this, in milliseconds, nothing is tried again: a call that hangs would outlast the function. */
const RESERVE = LONGEST_CALL;
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 500;

/** The time left of a command beside a request, which nobody waits for. */
export const AS_LONG_AS_IT_TAKES = (): number => 60_000;

/** The response while the database cannot be used. @param cause what it was that failed, for the log */
export const UNAVAILABLE = (cause?: unknown): Refusal =>
  new Refusal("unavailable", "The database is too busy to answer. Try again shortly.", {
    retryAfter: 2,
    cause,
  });

export const IN_PROGRESS = (): Refusal =>
  new Refusal("in_progress", "The first request with this Idempotency-Key is still being worked on.", {
    retryAfter: 5,
  });

const fullJitter = (tries: number): Promise<void> =>
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
 * @throws Stale when something has moved; Refusal `unavailable` when time runs out
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
      if (error instanceof Stale) {
        // A database that has forgotten the token judges our own write as someone else's.
        const mark = answerLost ? markOf(writes) : undefined;
        if (mark !== undefined && (await db.get(mark)) !== undefined) return;
        throw error;
      }
      if (!(error instanceof DatabaseBusy)) throw error;
      answerLost = true;
      if (timeLeft() < RESERVE) throw UNAVAILABLE(error);
      await fullJitter(tries);
    }
  }
};

/** Reads; a database that is throttled or away is a refusal. @throws Refusal `unavailable` */
export const reading = async <T>(read: Promise<T>): Promise<T> => {
  try {
    return await read;
  } catch (error) {
    throw error instanceof DatabaseBusy ? UNAVAILABLE(error) : error;
  }
};

export interface DecideOptions {
  once?: Once | undefined;
  /** Milliseconds until the caller must have answered. */
  timeLeft: () => number;
  /** Milliseconds since 1970. */
  now: number;
  /** How many shards new entries of lists are spread over. */
  shards: () => number;
}

export const KEY_REUSED = (): Refusal =>
  new Refusal("key_reused", "This Idempotency-Key was used with another request. Choose a new one.");

const sameRequest = (stored: StoredAnswer, once: Once): StoredAnswer => {
  if (stored.fingerprint === once.fingerprint) return stored;
  throw KEY_REUSED();
};

/** The first response that is stored under one of these keys and has not expired. */
export const storedUnder = async (
  db: Database,
  places: readonly Key[],
  now: number,
): Promise<StoredAnswer | undefined> => {
  const items = await reading(Promise.all(places.map((place) => db.get(place))));
  return items
    .flatMap((item) => (item === undefined ? [] : [parseStoredAnswer(item)]))
    .find(({ expires }) => expires * 1000 > now);
};

/**
 * The response that is stored for a key.
 * @throws Refusal `key_reused` when it answered another request
 */
export const storedAnswer = async (
  db: Database,
  once: Once | undefined,
  now: number,
): Promise<StoredAnswer | undefined> => {
  if (once === undefined) return undefined;
  const { who, key } = once;
  const stored = await storedUnder(db, [keys.once(who, key), keys.onceBefore(who, key)], now);
  return stored && sameRequest(stored, once);
};

/** The write that stores the response to a request, on condition that none is stored under this key. */
export const storeResponse = (
  place: Key,
  fingerprint: string,
  { status, body, stored = body }: Answer,
  now: number,
): Put => ({
  put: { ...place, fingerprint, status, body: stored, expires: Math.floor(now / 1000) + ANSWER_KEPT },
  expect: { absentOrExpiredBy: Math.floor(now / 1000) },
});

/** The write that keeps an answer, on condition that no other call with this key has kept one. */
const keepAnswer = ({ who, key, fingerprint }: Once, answer: Answer, now: number): Put =>
  storeResponse(keys.once(who, key), fingerprint, answer, now);

const promised = ({ put, ...rest }: Put, job: string): Put => ({ put: { ...put, job }, ...rest });

/** The write that promises a request's answer to a job, where the request has a key. */
export const promiseAnswer = (once: Once | undefined, now: number, job: string): Put[] =>
  once === undefined ? [] : [promised(keepAnswer(once, { status: 200, body: null }, now), job)];

/** The write that puts the answer of a job in the place of its promise, where the request has a key. */
export const fulfilAnswer = (once: Once | undefined, answer: Answer, now: number): Put[] =>
  once === undefined ? [] : [{ put: keepAnswer(once, answer, now).put }];

/** The answer of a command, and whether it was carried out now or had been answered before. */
export interface Decided {
  answer: Answer;
  fresh: boolean;
}

/**
 * What a request that comes again is told; `null` for one that comes first.
 * @throws Refusal `in_progress` while a job works on the answer; `key_reused`
 */
export const repeated = async (
  db: Database,
  once: Once | undefined,
  now: number,
): Promise<Decided | null> => {
  const earlier = await storedAnswer(db, once, now);
  if (earlier === undefined) return null;
  const { status, body, job } = earlier;
  if (job !== undefined) throw IN_PROGRESS();
  return { answer: { status, body }, fresh: false };
};

/**
 * Carries out a command: `attempt` reads and judges, and is called again whenever what it read has moved
 * before its changes were written. Whether the request has been answered before is looked up only where it is
 * refused, or its transaction is: the answer is kept in the transaction itself, on condition that there is none.
 * @param attempt is told whether an earlier try has lost: what that read may have been a moment old
 * @throws Refusal the rule's own; `key_reused`; `unavailable` when the database stays busy
 */
export const decide = async (
  db: Database,
  attempt: (again: boolean) => Promise<Decision>,
  { once, timeLeft, now, shards }: DecideOptions,
): Promise<Decided> => {
  for (let tries = 0; ; tries += 1) {
    let decision: Decision;
    try {
      decision = await reading(attempt(tries > 0));
    } catch (error) {
      // Refused perhaps for what this very request has done.
      const earlier = error instanceof Refusal ? await repeated(db, once, now) : null;
      if (earlier !== null) return earlier;
      throw error;
    }
    if ("refusal" in decision) {
      const earlier = await repeated(db, once, now);
      if (earlier !== null) return earlier;
    }
    try {
      const writes = await writesOf(decision.changes, shards());
      if (once !== undefined && "answer" in decision) writes.push(keepAnswer(once, decision.answer, now));
      await commit(db, writes, timeLeft);
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      const earlier = await repeated(db, once, now);
      if (earlier !== null) return earlier;
      if (timeLeft() < RESERVE) throw UNAVAILABLE();
      if (tries > 0) await fullJitter(Math.min(tries, 4));
      continue;
    }
    if ("refusal" in decision) throw decision.refusal;
    return { answer: decision.answer, fresh: true };
  }
};
