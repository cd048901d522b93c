/** Idempotency keys: the stored response to a request that was already carried out. */
import { DomainError } from "../domain/domainError.ts";
import type { Database, Put } from "../dynamodb/database.ts";
import type { Key } from "../dynamodb/key.ts";
import { mapBusyToUnavailable } from "./commit.ts";
import { parseStoredResponse, type StoredResponse } from "./items.ts";
import { keys } from "./keys.ts";

/** An answer as it goes out; `null` for an empty body. */
export interface CommandResponse {
  status: number;
  body: string | null;
  /** The body as it is stored for retries, where that is not `body`. */
  stored?: string | null;
}

/** A request that is to be carried out once, however often it comes (contract, "retries"). */
export interface IdempotentRequest {
  /** The id of the player whose key it is. */
  who: string;
  key: string;
  /** Of method, path and body: another request with the same key is refused. */
  fingerprint: string;
}

/** How long stored responses are kept, in seconds. */
export const RESPONSE_TTL_SECONDS = 24 * 60 * 60;

export const inProgress = (): DomainError =>
  new DomainError("in_progress", "The first request with this Idempotency-Key is still being worked on.", {
    retryAfter: 5,
  });

export const keyReused = (): DomainError =>
  new DomainError("key_reused", "This Idempotency-Key was used with another request. Choose a new one.");

const sameRequest = (stored: StoredResponse, once: IdempotentRequest): StoredResponse => {
  if (stored.fingerprint === once.fingerprint) return stored;
  throw keyReused();
};

/** The first response that is stored under one of these keys and has not expired. */
export const storedUnder = async (
  db: Database,
  places: readonly Key[],
  now: number,
): Promise<StoredResponse | undefined> => {
  const items = await mapBusyToUnavailable(Promise.all(places.map((place) => db.get(place))));
  return items
    .flatMap((item) => (item === undefined ? [] : [parseStoredResponse(item)]))
    .find(({ expires }) => expires * 1000 > now);
};

/**
 * The response that is stored for a key.
 * @throws DomainError `key_reused` when it answered another request
 */
export const storedResponse = async (
  db: Database,
  once: IdempotentRequest | undefined,
  now: number,
): Promise<StoredResponse | undefined> => {
  if (once === undefined) return undefined;
  const { who, key } = once;
  const stored = await storedUnder(db, [keys.response(who, key), keys.legacyResponse(who, key)], now);
  return stored && sameRequest(stored, once);
};

/** The write that stores the response to a request, on condition that none is stored under this key. */
export const storeResponse = (
  place: Key,
  fingerprint: string,
  { status, body, stored = body }: CommandResponse,
  now: number,
): Put => ({
  put: {
    ...place,
    fingerprint,
    status,
    body: stored,
    expires: Math.floor(now / 1000) + RESPONSE_TTL_SECONDS,
  },
  expect: { absentOrExpiredBy: Math.floor(now / 1000) },
});

/** The write that keeps an answer, on condition that no other call with this key has kept one. */
export const responseWrite = (
  { who, key, fingerprint }: IdempotentRequest,
  answer: CommandResponse,
  now: number,
): Put => storeResponse(keys.response(who, key), fingerprint, answer, now);

const promised = ({ put, ...rest }: Put, job: string): Put => ({ put: { ...put, job }, ...rest });

/** The write that promises a request's answer to a job, where the request has a key. */
export const reserveResponse = (once: IdempotentRequest | undefined, now: number, job: string): Put[] =>
  once === undefined ? [] : [promised(responseWrite(once, { status: 200, body: null }, now), job)];

/** The write that puts the answer of a job in the place of its promise, where the request has a key. */
export const completeResponse = (
  once: IdempotentRequest | undefined,
  answer: CommandResponse,
  now: number,
): Put[] => (once === undefined ? [] : [{ put: responseWrite(once, answer, now).put }]);

/** The answer of a command, and whether it was carried out now or had been answered before. */
export interface Decided {
  response: CommandResponse;
  isNew: boolean;
}

/**
 * What a request that comes again is told; `null` for one that comes first.
 * @throws DomainError `in_progress` while a job works on the answer; `key_reused`
 */
export const earlierResponse = async (
  db: Database,
  once: IdempotentRequest | undefined,
  now: number,
): Promise<Decided | null> => {
  const earlier = await storedResponse(db, once, now);
  if (earlier === undefined) return null;
  const { status, body, job } = earlier;
  if (job !== undefined) throw inProgress();
  return { response: { status, body }, isNew: false };
};
