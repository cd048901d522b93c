/**
 * Protects sweeps from a wrong clock. If the clock jumps ahead, zombies appear to have starved although nobody could
 * feed them in time, and a recorded starvation is final. So each sweep stores when it ran. After a long gap, sweeps are
 * held: they record no starvation until a game master has decided.
 */
import * as z from "zod/mini";
import { DAY, HOUR, MINUTE, rfc3339 } from "../time.ts";

/** Sweeps run each minute. After a gap longer than this, in milliseconds, they are held. */
export const MAX_GAP_MS = HOUR;

/** The largest difference between the clocks of overlapping sweeps, in milliseconds. */
const MAX_SKEW_MS = 5 * MINUTE;

const Hold = z.looseObject({
  /** The times of the first and of the last held sweep. */
  since: z.number(),
  until: z.number(),
  /** The number of starvations that the last one would have recorded. */
  due: z.int(),
});

/** The stored state of sweeps; times are milliseconds since 1970. */
export const SweepClock = z.looseObject({
  /** The time of the last sweep that was not held. */
  at: z.number(),
  /** Set after the clock was set back: the times before and after. */
  set_back: z.optional(z.looseObject({ from: z.number(), to: z.number() })),
  /** Set while sweeps are held. */
  held: z.optional(Hold),
  /** Whether a game is being imported. Its own sweep clock is imported last. */
  importing: z.optional(z.boolean()),
});
export type SweepClock = z.infer<typeof SweepClock>;

/** The stored state while sweeps are held. */
export type HeldClock = SweepClock & { held: z.infer<typeof Hold> };

export const isHeld = (clock: SweepClock | null): clock is HeldClock => clock?.held !== undefined;

/**
 * Whether a clock that was set back has been set right again. This is accepted for one hour only: the time before the
 * change may have been the wrong one, and a later jump to it must be noticed.
 */
const isCorrected = ({ at, set_back }: SweepClock, now: number): boolean =>
  set_back !== undefined && at - set_back.to <= MAX_GAP_MS && Math.abs(now - set_back.from) <= MAX_GAP_MS;

/** Whether the last sweep is so long ago that a game master must decide before starvations are recorded. */
export const isGap = (clock: SweepClock, now: number): boolean =>
  now - clock.at > MAX_GAP_MS && !isCorrected(clock, now);

/** The stored state after a sweep that was not held. @param previous the state before; `null` for the first sweep */
export const recordSweep = (previous: SweepClock | null, now: number): SweepClock => {
  if (previous === null) return { at: now };
  const { held: _, set_back, ...rest } = previous;
  // Follow a clock that was set back. Otherwise a later jump to the old time would not be noticed.
  if (now < previous.at - MAX_SKEW_MS) return { ...rest, at: now, set_back: { from: previous.at, to: now } };
  const at = Math.max(previous.at, now);
  const isStillBack = set_back !== undefined && at < set_back.from && at - set_back.to <= MAX_GAP_MS;
  return { ...rest, at, ...(isStillBack ? { set_back } : {}) };
};

/** The stored state after a held sweep. @param due the number of starvations it would have recorded */
export const recordHeldSweep = (previous: SweepClock, now: number, due: number): HeldClock => ({
  ...previous,
  held: { since: previous.held?.since ?? now, until: now, due },
});

const formatLength = (milliseconds: number): string => {
  if (milliseconds >= 2 * DAY) return `${Math.round(milliseconds / DAY)} days`;
  const hours = Math.round(milliseconds / HOUR);
  return hours === 1 ? "1 hour" : `${hours} hours`;
};

/** Explains to a game master why sweeps are held. */
export const describeHold = ({ at, held: { until, due } }: HeldClock): string =>
  `Sweeps are held and record no starvation. The last one before the hold ran at ${rfc3339(at)}. The latest ran at ${rfc3339(until)}, ${formatLength(until - at)} later, and would have recorded ${due === 1 ? "1 zombie" : `${due} zombies`} as starved.`;

/** Explains how to end the hold. @param options the options that select the game, such as `--stage spring` */
export const describeHoldOptions = (options = ""): string => {
  const command = (decision: string) =>
    `npm run sweep -- ${[decision, options].filter((word) => word !== "").join(" ")}`;
  return `If the clock is wrong, correct it: sweeps then resume automatically. If it is right, decide: ${command("--accept-gap")} records these starvations; ${command("--pause-gap")} counts the gap as a pause, which gives all players that time back.`;
};
