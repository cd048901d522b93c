/** Delays after failed logins, and rate limits per address and player. */
import * as z from "zod/mini";
import { DomainError } from "./domainError.ts";
import { integer, number, text } from "./schemas.ts";
import { HOUR, MINUTE, SECOND } from "./time.ts";

const FAILURE_FIELDS = { count: integer, last: number };

/** Consecutive failures of one address or device at one account: their number, and the time of the last one. */
export const OwnFailures = z.lazy(() => z.looseObject(FAILURE_FIELDS));
export type OwnFailures = z.infer<typeof OwnFailures>;

/** Consecutive failures at one account from one address. */
export const LoginFailure = z.lazy(() => z.looseObject({ from: text, ...FAILURE_FIELDS }));
export type LoginFailure = z.infer<typeof LoginFailure>;

/** Failures of new addresses at one account. Times are milliseconds since 1970. */
export const NewAddresses = z.lazy(() =>
  z.looseObject({
    /** When the allowance of new addresses is full again. */
    full_at: number,
    /** Concatenated site marks of addresses: `recent` of those that failed since `since`, `earlier` of those before. */
    recent: text,
    earlier: text,
    since: number,
  }),
);
export type NewAddresses = z.infer<typeof NewAddresses>;

export interface FailureHistory {
  failures?: LoginFailure[] | undefined;
  new_addresses?: NewAddresses | undefined;
}

/** Delays before the next attempt. */
export interface BackoffPolicy {
  /** Failures from one address without a delay; each further one doubles the delay. */
  freeFailures: number;
  /** Failing addresses without a delay; each further one doubles the delay of all addresses that have failed. */
  freeAddresses: number;
  firstWaitMs: number;
  maxWaitMs: number;
  /** Failures of an address are forgotten this long after its last one. */
  forgetAfterMs: number;
  /** The maximum number of addresses whose failures are stored. If that many have failed, the delay is `maxWaitMs`. */
  maxAddresses: number;
}

/** A rate limit: `burst` immediately, and one more each `intervalMs`. */
export interface Allowance {
  burst: number;
  intervalMs: number;
}

/** How often new addresses may fail at one account. An address is new if it has not failed there recently. */
export interface NewAddressPolicy {
  failures: Allowance;
  /** A failed address is remembered for this long, unless too many fail, and for up to three times as long. */
  rememberMs: number;
  /** The size of one generation of addresses; a full one replaces the generation before it. */
  maxRemembered: number;
}

/** The limits of the service. */
export interface Throttles {
  backoff: BackoffPolicy;
  newAddresses: NewAddressPolicy;
  /** Failures at `/login` and `/change_password`, per address. */
  failures: Allowance;
  /** Registrations, per address. */
  registrations: Allowance;
  /** Decoded pictures, per player. */
  pictures: Allowance;
  /** Changes of the e-mail address, per player. */
  addresses: Allowance;
  /** Unknown tag codes at a desk, per moderator or game master who plays. */
  codes: Allowance;
  /** Codes that could not be redeemed, per address. */
  redemptions: Allowance;
  /** Requests for a link to set a new password, per address: a club may share one. */
  forgotten: Allowance;
}

export const THROTTLES: Throttles = {
  backoff: {
    freeFailures: 4,
    freeAddresses: 3,
    firstWaitMs: SECOND,
    maxWaitMs: MINUTE,
    forgetAfterMs: HOUR,
    maxAddresses: 10,
  },
  newAddresses: {
    failures: { burst: 500, intervalMs: 10 * SECOND },
    rememberMs: 6 * HOUR,
    maxRemembered: 400,
  },
  failures: { burst: 300, intervalMs: (10 * MINUTE) / 300 },
  registrations: { burst: 200, intervalMs: HOUR / 1_000 },
  pictures: { burst: 10, intervalMs: MINUTE },
  addresses: { burst: 3, intervalMs: 8 * HOUR },
  codes: { burst: 10, intervalMs: MINUTE },
  redemptions: { burst: 100, intervalMs: 6 * SECOND },
  forgotten: { burst: 30, intervalMs: MINUTE },
};

/** The origin of a login attempt. */
export interface LoginSource {
  /** A hash of the address. */
  from: string;
  /** A short hash of the address, or of the site that the address belongs to; {@link SITE_MARK_LENGTH} characters. */
  site: string;
  /** Whether somebody has logged in to this account from there before. */
  known: boolean;
}

/** 24 bits in base64: with 1,000 failed addresses stored, 1 in 16,000 other addresses is mistaken for one of them. */
export const SITE_MARK_LENGTH = 4;

const isCounted = ({ last }: OwnFailures, now: number, { forgetAfterMs }: BackoffPolicy): boolean =>
  last > now - forgetAfterMs;

const recentFailures = (
  { failures = [] }: FailureHistory,
  now: number,
  backoff: BackoffPolicy,
): LoginFailure[] => failures.filter((failure) => isCounted(failure, now, backoff));

/** The delay after `excess` failures more than are free. */
const waitMsAfter = (excess: number, { firstWaitMs, maxWaitMs }: BackoffPolicy): number =>
  excess <= 0 ? 0 : Math.min(maxWaitMs, firstWaitMs * 2 ** (excess - 1));

// Clocks of processes differ, so `since` can be in the future: the result is kept between 0 and `maxWaitMs`.
const remainingWait = (since: number, waitMs: number, now: number, { maxWaitMs }: BackoffPolicy): number =>
  waitMs === 0 ? 0 : Math.min(maxWaitMs, Math.max(0, since + waitMs - now));

/** The delay for an address's or a device's own failures, in milliseconds. */
export const ownFailureWait = (own: OwnFailures | undefined, now: number, backoff: BackoffPolicy): number =>
  own === undefined || !isCounted(own, now, backoff)
    ? 0
    : remainingWait(own.last, waitMsAfter(own.count - backoff.freeFailures, backoff), now, backoff);

/** Adds one failure of an address or device to its earlier ones. */
export const withOwnFailure = <T extends OwnFailures>(
  own: T | undefined,
  now: number,
  backoff: BackoffPolicy,
): T | OwnFailures => {
  const count = own !== undefined && isCounted(own, now, backoff) ? own.count : 0;
  return { ...own, count: count + 1, last: now };
};

const includesMark = (marks: string, site: string): boolean => {
  for (let index = 0; index < marks.length; index += SITE_MARK_LENGTH) {
    if (marks.startsWith(site, index)) return true;
  }
  return false;
};

const hasFailed = (
  { recent, earlier, since }: NewAddresses,
  site: string,
  now: number,
  { rememberMs }: NewAddressPolicy,
): boolean =>
  (now < since + 2 * rememberMs && includesMark(recent, site)) ||
  (now < since + rememberMs && includesMark(earlier, site));

/**
 * How long an address waits for the allowance of new addresses, in milliseconds; `null` if it is not new. To forgive
 * typing errors, an address counts as new for its free failures while at least half of the allowance is left.
 */
const newAddressWait = (
  { new_addresses: state }: FailureHistory,
  { site }: LoginSource,
  own: LoginFailure | undefined,
  now: number,
  { backoff, newAddresses: policy }: Throttles,
): number | null => {
  const fullAt = state?.full_at ?? 0;
  const { burst, intervalMs } = policy.failures;
  if (own !== undefined) {
    const isHalfLeft = allowanceWait(fullAt, { burst: Math.ceil(burst / 2), intervalMs }, now) === 0;
    return own.count < backoff.freeFailures && isHalfLeft ? 0 : null;
  }
  const isNew = state === undefined || !hasFailed(state, site, now, policy);
  return isNew ? allowanceWait(fullAt, policy.failures, now) : null;
};

/**
 * How long a login attempt has to wait, in milliseconds. An address waits because of its own failures. If too many
 * addresses have failed, all of them wait; a new address waits only if new addresses have used up their allowance.
 */
export const loginWait = (
  history: FailureHistory,
  source: LoginSource,
  now: number,
  throttles: Throttles,
): number => {
  const { backoff } = throttles;
  const recent = recentFailures(history, now, backoff);
  const own = recent.find(({ from }) => from === source.from);
  const ownWait = ownFailureWait(own, now, backoff);
  if (source.known) return ownWait;
  const latest = Math.max(now - backoff.maxWaitMs, ...recent.map(({ last }) => last));
  const sharedWait = remainingWait(
    latest,
    waitMsAfter(recent.length - backoff.freeAddresses, backoff),
    now,
    backoff,
  );
  const newWait = newAddressWait(history, source, own, now, throttles) ?? sharedWait;
  return Math.max(ownWait, Math.min(sharedWait, newWait));
};

const withMark = (
  state: NewAddresses | undefined,
  site: string,
  now: number,
  policy: NewAddressPolicy,
): NewAddresses => {
  const { full_at = 0, recent = "", earlier = "", since = now } = state ?? {};
  const current = { ...state, full_at, recent, earlier, since };
  if (hasFailed(current, site, now, policy)) return current;
  const { rememberMs, maxRemembered } = policy;
  const isFull = recent.length >= maxRemembered * SITE_MARK_LENGTH;
  if (now < since + rememberMs && !isFull) return { ...current, recent: recent + site };
  const keepsEarlier = now < since + 2 * rememberMs;
  return { ...current, recent: site, earlier: keepsEarlier ? recent : "", since: now };
};

/** Adds a failed attempt to the history. */
export const withFailedLogin = (
  history: FailureHistory,
  source: LoginSource,
  now: number,
  throttles: Throttles,
): FailureHistory => {
  const { backoff, newAddresses: policy } = throttles;
  const { from, site, known } = source;
  const recent = recentFailures(history, now, backoff);
  const own = recent.find((failure) => failure.from === from);
  const others = recent.filter((failure) => failure !== own);
  const failures = [...others, { ...withOwnFailure(own, now, backoff), from }].slice(-backoff.maxAddresses);
  if (known) return { failures, new_addresses: history.new_addresses };
  const marked = withMark(history.new_addresses, site, now, policy);
  const usesAllowance = newAddressWait(history, source, own, now, throttles) === 0;
  const full_at = usesAllowance ? Math.max(marked.full_at, now) + policy.failures.intervalMs : marked.full_at;
  return { failures, new_addresses: { ...marked, full_at } };
};

/** The history after a successful login: without the address's failures, and without an expired `new_addresses`. */
export const withSuccessfulLogin = (
  { failures, new_addresses }: FailureHistory,
  from: string,
  now: number,
  { newAddresses: { rememberMs } }: Throttles,
): FailureHistory => {
  const isExpired =
    new_addresses !== undefined &&
    now >= new_addresses.since + 2 * rememberMs &&
    now >= new_addresses.full_at;
  return {
    failures: failures?.filter((failure) => failure.from !== from),
    new_addresses: isExpired ? undefined : new_addresses,
  };
};

/**
 * How long until an allowance permits one more, in milliseconds.
 * @param fullAt when the allowance is full again, in milliseconds since 1970; each use moves it later
 */
export const allowanceWait = (fullAt: number, { burst, intervalMs }: Allowance, now: number): number =>
  Math.max(0, fullAt - now - (burst - 1) * intervalMs);

/** The domain error `too_many_attempts`. @param waitMs milliseconds until the next attempt is allowed */
export const tooManyAttempts = (waitMs: number, detail: string): DomainError =>
  new DomainError("too_many_attempts", detail, { retryAfter: Math.max(1, Math.ceil(waitMs / SECOND)) });
