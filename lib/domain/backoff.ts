/** How long somebody who fails to prove who they are has to wait, and how many of one address are let in. */
import * as z from "zod/mini";
import { DomainError } from "./domainError.ts";
import { integer, number, text } from "./schemas.ts";
import { HOUR, MINUTE, SECOND } from "./time.ts";

const OWN = { count: integer, last: number };

/** Failures at one account, one after the other: how many, and when the last one was. */
export const OwnFailures = z.looseObject(OWN);
export type OwnFailures = z.infer<typeof OwnFailures>;

/** The same, from one address. */
export const LoginFailure = z.looseObject({ from: text, ...OWN });
export type LoginFailure = z.infer<typeof LoginFailure>;

/** What new addresses have failed at one account. Times are milliseconds since 1970. */
export const NewAddresses = z.looseObject({
  /** When their allowance is whole again. */
  full_at: number,
  /** Marks of addresses that have failed since `since`, one after the other; and of those before that. */
  recent: text,
  earlier: text,
  since: number,
});
export type NewAddresses = z.infer<typeof NewAddresses>;

/** The failures at one account. */
export interface FailureHistory {
  failures?: LoginFailure[] | undefined;
  new_addresses?: NewAddresses | undefined;
}

/** How long one who fails waits before the next attempt. */
export interface BackoffPolicy {
  /** So many failures from one address cost nothing; each one more doubles the wait. */
  freeFailures: number;
  /** So many addresses that fail cost nothing; each one more doubles the wait of all addresses that have failed. */
  freeAddresses: number;
  /** The first wait and the longest, in milliseconds. */
  firstWaitMs: number;
  maxWaitMs: number;
  /** How long after the last failure of an address it is forgotten, in milliseconds. */
  forgetAfterMs: number;
  /** Failures of so many addresses are counted; with all of them the wait is the longest. */
  maxAddresses: number;
}

/** So many at once, and one more whenever so many milliseconds have passed. */
export interface Allowance {
  burst: number;
  intervalMs: number;
}

/** How often new addresses may fail at one account: those that have not failed there before. */
export interface NewAddressPolicy {
  failures: Allowance;
  /** An address that has failed is new again after this at the earliest, and after twice as long at the latest; in milliseconds. */
  rememberMs: number;
  /** When so many addresses are remembered, the next as many take the place of those before them. */
  maxRemembered: number;
}

/** The limits of the service. */
export interface Throttles {
  backoff: BackoffPolicy;
  newAddresses: NewAddressPolicy;
  /** Failures at `/login` and `/change_password`, of one address. */
  failures: Allowance;
  /** Registrations, of one address. */
  registrations: Allowance;
  /** Pictures that are decoded, of one player. */
  pictures: Allowance;
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
};

/** Where an attempt comes from. */
export interface LoginSource {
  /** The mark of its address. */
  from: string;
  /** A short mark of its address, or of the site that its address is one of many of; {@link SITE_MARK_LENGTH} characters. */
  site: string;
  /** Whether the account's password was given there before. */
  known: boolean;
}

/** 24 bits in base64: an address that has not failed is taken for one of a thousand that have once in 16,000 times. */
export const SITE_MARK_LENGTH = 4;

const stillCount = (
  { last }: OwnFailures,
  now: number,
  { forgetAfterMs: forgottenAfter }: BackoffPolicy,
): boolean => last > now - forgottenAfter;

const remembered = ({ failures = [] }: FailureHistory, now: number, backoff: BackoffPolicy): LoginFailure[] =>
  failures.filter((failure) => stillCount(failure, now, backoff));

const waitAfter = (beyond: number, { firstWaitMs: first, maxWaitMs: longest }: BackoffPolicy): number =>
  beyond <= 0 ? 0 : Math.min(longest, first * 2 ** (beyond - 1));

// Clocks differ, and a request may be older than the failure that it sees: without a wait there is no end of one,
// and the wait is never longer than it can be.
const left = (since: number, wait: number, now: number, { maxWaitMs: longest }: BackoffPolicy): number =>
  wait === 0 ? 0 : Math.min(longest, Math.max(0, since + wait - now));

/** How long somebody has to wait for failures of their own, in milliseconds. */
export const ownFailureWait = (own: OwnFailures | undefined, now: number, backoff: BackoffPolicy): number =>
  own === undefined || !stillCount(own, now, backoff)
    ? 0
    : left(own.last, waitAfter(own.count - backoff.freeFailures, backoff), now, backoff);

/** Failures of their own with one more. */
export const withOwnFailure = <T extends OwnFailures>(
  own: T | undefined,
  now: number,
  backoff: BackoffPolicy,
): T | OwnFailures => {
  const count = own !== undefined && stillCount(own, now, backoff) ? own.count : 0;
  return { ...own, count: count + 1, last: now };
};

const isIn = (marks: string, site: string): boolean => {
  for (let at = 0; at < marks.length; at += SITE_MARK_LENGTH) {
    if (marks.startsWith(site, at)) return true;
  }
  return false;
};

const hasFailed = (
  { recent, earlier, since }: NewAddresses,
  site: string,
  now: number,
  { rememberMs: rememberedFor }: NewAddressPolicy,
): boolean =>
  (now < since + 2 * rememberedFor && isIn(recent, site)) ||
  (now < since + rememberedFor && isIn(earlier, site));

/**
 * How long an address has to wait for its place among the new ones, in milliseconds; `null` for one that is not new. It
 * stays new for as many failures as cost nothing, so that somebody may mistype, while half of the allowance is left.
 */
const newAddressWait = (
  { new_addresses: state }: FailureHistory,
  { site }: LoginSource,
  own: LoginFailure | undefined,
  now: number,
  { backoff, newAddresses: policy }: Throttles,
): number | null => {
  const fullAt = state?.full_at ?? 0;
  const { burst: atOnce, intervalMs: every } = policy.failures;
  if (own !== undefined) {
    const hasRoom = allowanceWait(fullAt, { burst: Math.ceil(atOnce / 2), intervalMs: every }, now) === 0;
    return own.count < backoff.freeFailures && hasRoom ? 0 : null;
  }
  const isNew = state === undefined || !hasFailed(state, site, now, policy);
  return isNew ? allowanceWait(fullAt, policy.failures, now) : null;
};

/**
 * How long an attempt has to wait, in milliseconds. An address waits for its own failures. For those of others it waits
 * when it has failed itself and too many have; a new one only when new addresses have used up their allowance.
 */
export const loginWait = (
  history: FailureHistory,
  source: LoginSource,
  now: number,
  throttles: Throttles,
): number => {
  const { backoff } = throttles;
  const recent = remembered(history, now, backoff);
  const own = recent.find(({ from }) => from === source.from);
  const forOwn = ownFailureWait(own, now, backoff);
  if (source.known) return forOwn;
  const latest = Math.max(now - backoff.maxWaitMs, ...recent.map(({ last }) => last));
  const forAll = left(latest, waitAfter(recent.length - backoff.freeAddresses, backoff), now, backoff);
  const asNew = newAddressWait(history, source, own, now, throttles) ?? forAll;
  return Math.max(forOwn, Math.min(forAll, asNew));
};

const withMark = (
  state: NewAddresses | undefined,
  site: string,
  now: number,
  policy: NewAddressPolicy,
): NewAddresses => {
  const { full_at = 0, recent = "", earlier = "", since = now } = state ?? {};
  const known = { ...state, full_at, recent, earlier, since };
  if (hasFailed(known, site, now, policy)) return known;
  const { rememberMs: rememberedFor, maxRemembered: most } = policy;
  const isFull = recent.length >= most * SITE_MARK_LENGTH;
  if (now < since + rememberedFor && !isFull) return { ...known, recent: recent + site };
  const stillCounts = now < since + 2 * rememberedFor;
  return { ...known, recent: site, earlier: stillCounts ? recent : "", since: now };
};

/** The failures with one more, the latest last. */
export const withFailedLogin = (
  history: FailureHistory,
  source: LoginSource,
  now: number,
  throttles: Throttles,
): FailureHistory => {
  const { backoff, newAddresses: policy } = throttles;
  const { from, site, known } = source;
  const recent = remembered(history, now, backoff);
  const own = recent.find((failure) => failure.from === from);
  const others = recent.filter((failure) => failure !== own);
  const failures = [...others, { ...withOwnFailure(own, now, backoff), from }].slice(-backoff.maxAddresses);
  if (known) return { failures, new_addresses: history.new_addresses };
  const marked = withMark(history.new_addresses, site, now, policy);
  const isDrawn = newAddressWait(history, source, own, now, throttles) === 0;
  const full_at = isDrawn ? Math.max(marked.full_at, now) + policy.failures.intervalMs : marked.full_at;
  return { failures, new_addresses: { ...marked, full_at } };
};

/** The failures after a success: those of the same address are forgotten, and what is past. */
export const withSuccessfulLogin = (
  { failures, new_addresses }: FailureHistory,
  from: string,
  now: number,
  { newAddresses: { rememberMs: rememberedFor } }: Throttles,
): FailureHistory => {
  const isPast =
    new_addresses !== undefined &&
    now >= new_addresses.since + 2 * rememberedFor &&
    now >= new_addresses.full_at;
  return {
    failures: failures?.filter((failure) => failure.from !== from),
    new_addresses: isPast ? undefined : new_addresses,
  };
};

/**
 * How long until one more may be taken, in milliseconds; 0 when it may be now.
 * @param fullAt when the allowance is whole again, as an instant; each one taken puts it off
 */
export const allowanceWait = (
  fullAt: number,
  { burst: atOnce, intervalMs: every }: Allowance,
  now: number,
): number => Math.max(0, fullAt - now - (atOnce - 1) * every);

/** @returns the refusal `too_many_attempts`, for so many milliseconds. */
export const tooManyAttempts = (wait: number, detail: string): DomainError =>
  new DomainError("too_many_attempts", detail, { retryAfter: Math.max(1, Math.ceil(wait / SECOND)) });
