/** How long somebody who fails to prove who they are has to wait, and how many of one address are let in. */
import * as z from "zod/mini";
import { Refusal } from "./refusal.ts";
import { number, text, whole } from "./shapes.ts";
import { HOUR, MINUTE, SECOND } from "./time.ts";

/** Failures at one account from one address, one after the other: how many, and when the last one was. */
export const Failure = z.looseObject({ from: text, count: whole, last: number });
export type Failure = z.infer<typeof Failure>;

/** How failures at one account are borne. */
export interface Patience {
  /** So many failures from one address cost nothing; each one more doubles the wait. */
  free: number;
  /** So many addresses that fail cost nothing; with each one more, the whole account waits twice as long. */
  addresses: number;
  /** The first wait and the longest, in milliseconds. */
  first: number;
  longest: number;
  /** How long after the last failure of an address it is forgotten, in milliseconds. */
  forgottenAfter: number;
  /** Failures of so many addresses are kept; with all of them the wait is the longest. */
  kept: number;
}

/** What one address may take: so many at once, and one more whenever so many milliseconds have passed. */
export interface Allowance {
  atOnce: number;
  every: number;
}

/** What the service bears. */
export interface Throttles {
  patience: Patience;
  /** Failures at `/login` and `/change_password`, of one address. */
  failures: Allowance;
  /** Registrations, of one address. */
  registrations: Allowance;
}

export const THROTTLES: Throttles = {
  patience: {
    free: 4,
    addresses: 3,
    first: SECOND,
    longest: MINUTE,
    forgottenAfter: HOUR,
    kept: 10,
  },
  failures: { atOnce: 300, every: (10 * MINUTE) / 300 },
  registrations: { atOnce: 200, every: HOUR / 1_000 },
};

/** Who tries: from which address, and whether a session of the account was opened there. */
export interface Comer {
  from: string;
  known: boolean;
}

const remembered = (failures: readonly Failure[], now: number, { forgottenAfter }: Patience): Failure[] =>
  failures.filter(({ last }) => last > now - forgottenAfter);

const waitAfter = (beyond: number, { first, longest }: Patience): number =>
  beyond <= 0 ? 0 : Math.min(longest, first * 2 ** (beyond - 1));

/**
 * How long a comer has to wait, in milliseconds: for the failures from the same address, and, where no session
 * was opened there, when too many addresses have failed.
 */
export const waitOf = (
  failures: readonly Failure[],
  { from, known }: Comer,
  now: number,
  patience: Patience,
): number => {
  const recent = remembered(failures, now, patience);
  const own = recent.find((failure) => failure.from === from);
  const ownWait = waitAfter((own?.count ?? 0) - patience.free, patience);
  const latest = Math.max(now - patience.longest, ...recent.map(({ last }) => last));
  const everyonesWait = known ? 0 : waitAfter(recent.length - patience.addresses, patience);
  // Clocks differ, and a request may be older than the failure that it sees: without a wait there is no end of one,
  // and the wait is never longer than it can be.
  const left = (since: number, wait: number): number => (wait === 0 ? 0 : since + wait - now);
  return Math.min(
    patience.longest,
    Math.max(0, left(own?.last ?? now, ownWait), left(latest, everyonesWait)),
  );
};

/** Failures with one more, the latest last. */
export const failed = (
  failures: readonly Failure[],
  from: string,
  now: number,
  patience: Patience,
): Failure[] => {
  const recent = remembered(failures, now, patience);
  const own = recent.find((failure) => failure.from === from);
  const others = recent.filter((failure) => failure !== own);
  return [...others, { from, count: (own?.count ?? 0) + 1, last: now }].slice(-patience.kept);
};

/** Failures after a success: those from the same address are forgotten. */
export const succeeded = (failures: readonly Failure[], from: string): Failure[] =>
  failures.filter((failure) => failure.from !== from);

/**
 * How long until one more may be taken, in milliseconds; 0 when it may be now.
 * @param fullAt when the allowance is whole again, as an instant; each one taken puts it off
 */
export const allowanceWait = (fullAt: number, { atOnce, every }: Allowance, now: number): number =>
  Math.max(0, fullAt - now - (atOnce - 1) * every);

/** @returns the refusal `too_many_attempts`, for so many milliseconds. */
export const tooMany = (wait: number, detail: string): Refusal =>
  new Refusal("too_many_attempts", detail, { retryAfter: Math.max(1, Math.ceil(wait / SECOND)) });
