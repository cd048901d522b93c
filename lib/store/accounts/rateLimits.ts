/** Rate limits per address and player: one item each, with the time at which the allowance is full again. */
import * as z from "zod/mini";
import { type Allowance, allowanceWait } from "../../domain/backoff.ts";
import { SECOND } from "../../domain/time.ts";
import type { Database } from "../../dynamodb/database.ts";
import type { Key } from "../../dynamodb/key.ts";
import { keys } from "../keys.ts";

const StoredLimit = z.object({ full_at: z.number() });

/** A rate limit of one address or one player. */
export interface RateLimited {
  limit:
    | "FAILURES"
    | "REGISTRATIONS"
    | "PICTURES"
    | "ADDRESSES"
    | "CODES"
    | "REDEMPTIONS"
    | "MAILS"
    | "FORGOTTEN";
  /** The address or the player id. */
  subject: string;
  allowance: Allowance;
}

const TRIES = 3;

const keyOf = ({ limit, subject }: RateLimited): Key => keys.throttle(limit, subject);

/** When the allowance is full again, in milliseconds since 1970; 0 if it was never used. */
export const readFullAt = async (db: Database, limit: RateLimited): Promise<number> => {
  // Eventually consistent: the conditional write decides.
  const item = await db.get(keyOf(limit), { consistent: false });
  return item === undefined ? 0 : StoredLimit.parse(item).full_at;
};

/**
 * Takes one of the allowance with a single conditional write, so that concurrent requests cannot exceed it.
 * @param lastFullAt when the allowance is full again, as last read, in milliseconds since 1970
 * @returns 0 if one was taken, otherwise the milliseconds until one is available
 */
export const takeAllowance = async (
  db: Database,
  limit: RateLimited,
  lastFullAt: number,
  now: number,
): Promise<number> => {
  const { burst, intervalMs } = limit.allowance;
  const maxAheadMs = burst * intervalMs;
  let fullAt = lastFullAt;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const waitMs = allowanceWait(fullAt, limit.allowance, now);
    if (waitMs > 0) return waitMs;
    const taken = await db.extendUntil(keyOf(limit), {
      by: intervalMs,
      from: now,
      atMost: now + maxAheadMs,
      expires: Math.ceil((now + maxAheadMs) / SECOND),
      isAhead: fullAt > now,
    });
    if (taken) return 0;
    fullAt = await readFullAt(db, limit);
  }
  // Concurrent requests took every unit that became available.
  return intervalMs;
};

/** Returns one to the allowance that a request took and did not need. */
export const returnAllowance = async (db: Database, limit: RateLimited, now: number): Promise<void> => {
  const { burst, intervalMs } = limit.allowance;
  const latest = now + burst * intervalMs;
  await db.extendUntil(keyOf(limit), {
    by: -intervalMs,
    from: now,
    atMost: latest,
    expires: Math.ceil(latest / SECOND),
    isAhead: true,
  });
};
