/** Idempotency keys: the stored response to a request that was already carried out. */
import { DomainError } from "../domain/domainError.ts";
import type { Database, Put } from "../dynamodb/database.ts";
import type { Key } from "../dynamodb/key.ts";
import { mapBusyToUnavailable } from "./commit.ts";
import { parseStoredResponse, type StoredResponse } from "./items.ts";
import { keys } from "./keys.ts";

/** The response of a command; `body` is JSON, or `null` if empty. */
export interface CommandResponse {
  status: number;
  body: string | null;
  /** The body to store for retries, if it differs from `body`. */
  stored?: string | null;
}

/** A request with an idempotency key (docs/api.md, "Retries"). */
export interface IdempotentRequest {
  /** The scope of the key: the id of the player, or for a registration a text with its alias. Jobs store this field. */
  who: string;
  key: string;
  /** A hash of method, path and body. A different request with the same key is rejected. */
  fingerprint: string;
}

/** How long stored responses are kept, in seconds. */
export const RESPONSE_TTL_SECONDS = 24 * 60 * 60;

export const inProgress = (): DomainError =>
  new DomainError("in_progress", "The first request with this Idempotency-Key is still being processed.", {
    retryAfter: 5,
  });

export const keyReused = (): DomainError =>
  new DomainError("key_reused", "This Idempotency-Key was used with another request. Choose a new one.");

const requireSameRequest = (stored: StoredResponse, request: IdempotentRequest): StoredResponse => {
  if (stored.fingerprint === request.fingerprint) return stored;
  throw keyReused();
};

/** The first response that is stored under one of these keys and has not expired. */
export const readResponseAt = async (
  db: Database,
  keysToRead: readonly Key[],
  now: number,
): Promise<StoredResponse | undefined> => {
  const items = await mapBusyToUnavailable(Promise.all(keysToRead.map((key) => db.get(key))));
  return items
    .flatMap((item) => (item === undefined ? [] : [parseStoredResponse(item)]))
    .find(({ expires }) => expires * 1000 > now);
};

/**
 * The stored response of a request.
 * @throws DomainError `key_reused` if it belongs to a different request
 */
export const storedResponse = async (
  db: Database,
  request: IdempotentRequest | undefined,
  now: number,
): Promise<StoredResponse | undefined> => {
  if (request === undefined) return undefined;
  const { who, key } = request;
  const stored = await readResponseAt(db, [keys.response(who, key), keys.legacyResponse(who, key)], now);
  return stored && requireSameRequest(stored, request);
};

/** The write that stores the response to a request under any key, on condition that none is stored there. */
const responseWriteAt = (
  key: Key,
  fingerprint: string,
  { status, body, stored = body }: CommandResponse,
  now: number,
): Put => ({
  put: {
    ...key,
    fingerprint,
    status,
    body: stored,
    expires: Math.floor(now / 1000) + RESPONSE_TTL_SECONDS,
  },
  expect: { absentOrExpiredBy: Math.floor(now / 1000) },
});

/**
 * The write that notes the request that has registered a player. It has no body, because a repeated request gets the
 * account as it is at that time.
 */
export const registrationWrite = (
  playerId: string,
  { key, fingerprint }: IdempotentRequest,
  now: number,
): Put => responseWriteAt(keys.registration(playerId, key), fingerprint, { status: 201, body: null }, now);

/** The write that stores a response under the request's key, on condition that none is stored. */
export const responseWrite = (
  { who, key, fingerprint }: IdempotentRequest,
  response: CommandResponse,
  now: number,
): Put => responseWriteAt(keys.response(who, key), fingerprint, response, now);

const withJob = ({ put, ...rest }: Put, job: string): Put => ({ put: { ...put, job }, ...rest });

/** The write that reserves a request's key for the response of a job; none if the request has no key. */
export const reserveResponse = (request: IdempotentRequest | undefined, now: number, job: string): Put[] =>
  request === undefined ? [] : [withJob(responseWrite(request, { status: 200, body: null }, now), job)];

/** The write that replaces the reservation with the response of the job; none if the request has no key. */
export const completeResponse = (
  request: IdempotentRequest | undefined,
  response: CommandResponse,
  now: number,
): Put[] => (request === undefined ? [] : [{ put: responseWrite(request, response, now).put }]);

/** The stored response of an earlier request. */
export interface EarlierAnswer {
  isNew: false;
  response: CommandResponse;
}

/**
 * The response of an earlier request with the same key; `null` if there is none.
 * @throws DomainError `in_progress` while a job is working on the response; `key_reused`
 */
export const earlierResponse = async (
  db: Database,
  request: IdempotentRequest | undefined,
  now: number,
): Promise<EarlierAnswer | null> => {
  const earlier = await storedResponse(db, request, now);
  if (earlier === undefined) return null;
  const { status, body, job } = earlier;
  if (job !== undefined) throw inProgress();
  return { response: { status, body }, isNew: false };
};
