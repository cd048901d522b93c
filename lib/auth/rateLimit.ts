/** Rate limits: of failed logins and registrations per address, and of pictures and e-mail addresses per player. */
import { allowanceWait, type Throttles, tooManyAttempts } from "../domain/backoff.ts";
import { DomainError } from "../domain/domainError.ts";
import { type RateLimited, readFullAt, takeAllowance } from "../store/accounts/rateLimits.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import type { Store } from "../store/store.ts";

/** The client of a request: an address, or a network that counts as one. */
export interface ClientAddress {
  address: string;
  /** Whether it is the machine of the service itself. No request through a gateway has such an address. */
  isLoopback: boolean;
}

interface RateLimitServices {
  store: Store;
  throttles: Throttles;
}

/** The rate limit of failed logins from one address. */
export interface RateLimiter {
  /** Returns the DomainError `too_many_attempts` while the address is blocked, otherwise `null`. */
  check: () => Promise<DomainError | null>;
  /**
   * Called before a password or code is checked: from then on, a failure counts.
   * @param how.isOnlyLimit whether nothing else limits failures: then one beyond the allowance is `too_many_attempts`
   */
  start: (how?: { isOnlyLimit: boolean }) => void;
}

const addressBlocked = (wait: number): DomainError =>
  tooManyAttempts(wait, "Too many failed attempts from this address. Try again later.");

const FAILURES = new Set(["bad_credentials", "too_many_attempts"]);

/**
 * Runs an attempt under the rate limit of its address. A failure after `start` counts against the address, even if it is
 * `too_many_attempts`. Successful attempts do not count, and loopback is not limited.
 * @throws DomainError `too_many_attempts`, and the errors of `work`
 */
export const rateLimiter = async <T>(
  { store, throttles }: RateLimitServices,
  { address, isLoopback }: ClientAddress,
  now: number,
  work: (limiter: RateLimiter) => Promise<T>,
): Promise<T> => {
  const limit: RateLimited = { limit: "FAILURES", subject: address, allowance: throttles.failures };
  let hasStarted = false;
  let isOnlyLimit = false;
  let known = 0;
  const check = async (): Promise<DomainError | null> => {
    // A retry after a conflict is still the same attempt.
    if (isLoopback || hasStarted) return null;
    known = await readFullAt(store.db, limit);
    const wait = allowanceWait(known, throttles.failures, now);
    return wait > 0 ? addressBlocked(wait) : null;
  };
  const start: RateLimiter["start"] = (how) => {
    hasStarted = true;
    isOnlyLimit = how?.isOnlyLimit === true;
  };
  try {
    return await work({ check, start });
  } catch (error) {
    const isFailure = error instanceof DomainError && FAILURES.has(error.code);
    if (isFailure && hasStarted && !isLoopback) {
      const wait = await mapBusyToUnavailable(takeAllowance(store.db, limit, known, now));
      if (wait > 0 && isOnlyLimit) throw addressBlocked(wait);
    }
    throw error;
  }
};

/**
 * Counts a registration against the limit of its address, before any work is done for it.
 * @throws DomainError `too_many_attempts`
 */
export const limitRegistrations = async (
  { store, throttles }: RateLimitServices,
  { address, isLoopback }: ClientAddress,
  now: number,
): Promise<void> => {
  if (isLoopback) return;
  const limit: RateLimited = { limit: "REGISTRATIONS", subject: address, allowance: throttles.registrations };
  const wait = await takeAllowance(store.db, limit, await readFullAt(store.db, limit), now);
  if (wait > 0) throw tooManyAttempts(wait, "Too many registrations from this address. Try again later.");
};

/**
 * Counts a request for a link to set a new password against the limit of its address, whoever it is for.
 * @throws DomainError `too_many_attempts`
 */
export const limitForgotten = async (
  { store, throttles }: RateLimitServices,
  { address, isLoopback }: ClientAddress,
  now: number,
): Promise<void> => {
  if (isLoopback) return;
  const limit: RateLimited = { limit: "FORGOTTEN", subject: address, allowance: throttles.forgotten };
  const wait = await takeAllowance(store.db, limit, 0, now);
  if (wait > 0) throw tooManyAttempts(wait, "Too many requests from this address. Try again later.");
};

/** Counts against a limit of a player. @throws DomainError `too_many_attempts` */
const limitPlayer = async (
  { store }: RateLimitServices,
  limit: RateLimited,
  now: number,
  detail: string,
): Promise<void> => {
  // Most players stay far below it, which takes a single write without reading first.
  const wait = await takeAllowance(store.db, limit, 0, now);
  if (wait > 0) throw tooManyAttempts(wait, detail);
};

/**
 * Counts a picture against the limit of its player, before it is decoded.
 * @param now milliseconds since 1970
 * @throws DomainError `too_many_attempts`
 */
export const limitPictures = (services: RateLimitServices, playerId: string, now: number): Promise<void> => {
  const limit = {
    limit: "PICTURES",
    subject: playerId,
    allowance: services.throttles.pictures,
  } as const;
  return limitPlayer(services, limit, now, "You have set too many pictures. Try again later.");
};

/**
 * Counts a change of the e-mail address against the limit of its player, before anything about the address is known.
 * @param now milliseconds since 1970
 * @throws DomainError `too_many_attempts`
 */
export const limitAddresses = (services: RateLimitServices, playerId: string, now: number): Promise<void> => {
  const limit = { limit: "ADDRESSES", subject: playerId, allowance: services.throttles.addresses } as const;
  return limitPlayer(
    services,
    limit,
    now,
    "You have changed your e-mail address too often. Try again later.",
  );
};
