/** Rate limits: of one address failures at any account and registrations, of one player pictures. */
import { allowanceWait, type Throttles, tooManyAttempts } from "../domain/backoff.ts";
import { DomainError } from "../domain/domainError.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import { type RateLimited, readFullAt, takeAllowance } from "../store/rateLimits.ts";
import type { Store } from "../store/store.ts";

/** Where a request comes from: one address, or the network that counts as one. */
export interface ClientAddress {
  address: string;
  /** The machine that the service itself runs on; behind a gateway nobody has such an address. */
  isLoopback: boolean;
}

interface Throttled {
  store: Store;
  throttles: Throttles;
}

/** What attempts from one address ask and say. */
export interface RateLimiter {
  /** Why the address may not fail again now: the DomainError `too_many_attempts`; `null` while it has room. */
  check: () => Promise<DomainError | null>;
  /** Says that a password or a code is being checked now, which costs the service its work. */
  start: () => void;
}

const FAILURES = new Set(["bad_credentials", "too_many_attempts"]);

/**
 * Lets attempts from one address be made. One that fails after it has begun is drawn from the address's
 * allowance, and so is one that others overtook meanwhile; success costs the address nothing.
 * @throws DomainError `too_many_attempts`, and whatever `work` throws
 */
export const rateLimiter = async <T>(
  { store, throttles }: Throttled,
  { address, isLoopback }: ClientAddress,
  now: number,
  work: (turnstile: RateLimiter) => Promise<T>,
): Promise<T> => {
  const drawer: RateLimited = { what: "FAILURES", who: address, allowance: throttles.failures };
  let hasBegun = false;
  let known = 0;
  const room = async (): Promise<DomainError | null> => {
    // An attempt that is judged anew is still the one that was let in.
    if (isLoopback || hasBegun) return null;
    known = await readFullAt(store.db, drawer);
    const wait = allowanceWait(known, throttles.failures, now);
    return wait > 0
      ? tooManyAttempts(wait, "Too many failed attempts from this address. Wait a little.")
      : null;
  };
  const begun = (): void => {
    hasBegun = true;
  };
  try {
    return await work({ check: room, start: begun });
  } catch (error) {
    const isFailure = error instanceof DomainError && FAILURES.has(error.code);
    if (isFailure && hasBegun && !isLoopback)
      await mapBusyToUnavailable(takeAllowance(store.db, drawer, known, now));
    throw error;
  }
};

/**
 * Draws a registration from its address's allowance, before any work is done for it.
 * @throws DomainError `too_many_attempts`
 */
export const limitRegistrations = async (
  { store, throttles }: Throttled,
  { address, isLoopback }: ClientAddress,
  now: number,
): Promise<void> => {
  if (isLoopback) return;
  const drawer: RateLimited = { what: "REGISTRATIONS", who: address, allowance: throttles.registrations };
  const wait = await takeAllowance(store.db, drawer, await readFullAt(store.db, drawer), now);
  if (wait > 0) throw tooManyAttempts(wait, "Too many registrations from this address. Wait a little.");
};

/**
 * Draws a picture from its player's allowance, before it is decoded.
 * @param now milliseconds since 1970
 * @throws DomainError `too_many_attempts`
 */
export const limitPictures = async (
  { store, throttles }: Throttled,
  playerId: string,
  now: number,
): Promise<void> => {
  const drawer: RateLimited = { what: "PICTURES", who: playerId, allowance: throttles.pictures };
  // Most players set one picture: without reading first, that is a single write.
  const wait = await takeAllowance(store.db, drawer, 0, now);
  if (wait > 0) throw tooManyAttempts(wait, "You have set too many pictures. Wait a little.");
};
