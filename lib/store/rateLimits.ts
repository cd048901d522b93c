/** What addresses and players have taken of their allowances: one item each, which tells when it is whole again. */
import * as z from "zod/mini";
import { type Allowance, allowanceWait } from "../domain/backoff.ts";
import { SECOND } from "../domain/time.ts";
import type { Database } from "../dynamodb/database.ts";
import type { Key } from "../dynamodb/key.ts";
import { keys } from "./keys.ts";

const Taken = z.object({ full_at: z.number() });

/** An allowance of one address, or of one player. */
export interface RateLimited {
  what: "FAILURES" | "REGISTRATIONS" | "PICTURES";
  /** The address, or the player's id. */
  who: string;
  allowance: Allowance;
}

const TRIES = 3;

const keyOf = ({ what, who }: RateLimited): Key => keys.throttle(what, who);

/** When an allowance is whole again, as an instant; long ago for one that nobody has drawn on. */
export const readFullAt = async (db: Database, drawer: RateLimited): Promise<number> => {
  // A moment behind will do: what is drawn is judged by the write.
  const item = await db.get(keyOf(drawer), { consistent: false });
  return item === undefined ? 0 : Taken.parse(item).full_at;
};

/**
 * Takes one of an allowance, however many do so at once: a single write that the database judges by itself.
 * @param read when the allowance is whole again, as far as one knows
 * @returns milliseconds until one may be taken; 0 when it has been
 */
export const takeAllowance = async (
  db: Database,
  drawer: RateLimited,
  read: number,
  now: number,
): Promise<number> => {
  const { burst: atOnce, intervalMs: every } = drawer.allowance;
  const most = atOnce * every;
  let known = read;
  for (let tries = 0; tries < TRIES; tries += 1) {
    const wait = allowanceWait(known, drawer.allowance, now);
    if (wait > 0) return wait;
    const taken = await db.extendUntil(keyOf(drawer), {
      by: every,
      from: now,
      atMost: now + most,
      expires: Math.ceil((now + most) / SECOND),
      isAhead: known > now,
    });
    if (taken) return 0;
    known = await readFullAt(db, drawer);
  }
  // Others take whatever comes free: there is one more soon.
  return every;
};
