/**
 * The pace of mails: each waits for a slot of its lane, so that they reach the server at the set rate, and all wait while
 * the server cannot be reached. Pure.
 */
import * as z from "zod/mini";
import type { Allowance } from "../backoff.ts";
import { integer, number } from "../schemas.ts";
import { MINUTE, SECOND } from "../time.ts";
import { type Lane, pauseAfter, type SendResult } from "./mail.ts";

/** The next free slot of each lane, and the failures of the server; times are milliseconds since 1970. */
export const Pace = z.lazy(() =>
  z.looseObject({
    rev: integer,
    now: number,
    bulk: number,
    /** How often in a row the server could not be used. */
    failures: integer,
    /** Until when nothing is sent; 0 if the server can be used. */
    retry_at: number,
    /** Since when attempts have failed and none has succeeded; 0 if the last one has. */
    failing_since: number,
  }),
);
export type Pace = z.infer<typeof Pace>;

export const NEW_PACE: Pace = { rev: 0, now: 0, bulk: 0, failures: 0, retry_at: 0, failing_since: 0 };

/** A mail that is this much later than its slot gets another one, so that mails do not gather while no worker runs. */
const LATE_MS = 10 * SECOND;

/** While the server cannot be used, one attempt at a time is made. It ends within this time. */
const PROBE_MS = 30 * SECOND;

const STUCK_MS = 15 * MINUTE;

const intervalOf = (perMinute: number): number => MINUTE / perMinute;

/** The limit of all lanes together: the rate, and at most five seconds of it at once. */
export const rateOf = (perMinute: number): Allowance => ({
  burst: Math.max(1, Math.floor(perMinute / 12)),
  intervalMs: intervalOf(perMinute),
});

/** Takes slots of a lane. @returns the pace after that, and the times of the slots in milliseconds since 1970 */
export const takeSlots = (
  pace: Pace,
  lane: Lane,
  { count, now, perMinute }: { count: number; now: number; perMinute: number },
): { pace: Pace; slots: number[] } => {
  const interval = intervalOf(perMinute);
  const first = Math.max(now, pace[lane], pace.retry_at);
  const slots = Array.from({ length: count }, (_, index) => Math.round(first + index * interval));
  return { pace: { ...pace, [lane]: Math.round(first + count * interval) }, slots };
};

/** Whether a mail has missed its slot, or must wait until the server can be used again. */
export const hasMissed = (pace: Pick<Pace, "retry_at">, slot: number, now: number): boolean =>
  now > slot + LATE_MS || now < pace.retry_at;

/** The pace with a claim of the one attempt that may be made while the server cannot be used. */
export const withProbe = (pace: Pace, now: number): Pace =>
  pace.failures === 0 ? pace : { ...pace, retry_at: now + PROBE_MS };

/** The pace after an attempt; the same object if nothing changes. @param begun the pace when the attempt was begun */
export const afterAttempt = (pace: Pace, begun: Pace, result: SendResult["result"], now: number): Pace => {
  const failing_since = result === "server" || result === "retry" ? pace.failing_since || now : 0;
  if (result === "server") {
    // Several that fail at the same time are one failure of the server.
    if (pace.failures > begun.failures) return pace;
    const failures = pace.failures + 1;
    return { ...pace, failures, retry_at: now + pauseAfter(failures), failing_since };
  }
  const isSame = pace.failures === 0 && pace.failing_since === failing_since;
  return isSame ? pace : { ...pace, failures: 0, retry_at: 0, failing_since };
};

/** Whether nothing could be sent for a quarter of an hour. */
export const isStuck = ({ failing_since }: Pace, now: number): boolean =>
  failing_since !== 0 && now - failing_since >= STUCK_MS;
