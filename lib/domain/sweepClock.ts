/**
 * Whether a sweep can trust its clock. A clock that jumps ahead makes zombies starve whom nobody could feed in time, and
 * a starvation that a sweep has recorded is final. So sweeps remember when the last one ran. After a gap they record no
 * starvation until a game master has decided.
 */
import * as z from "zod/mini";
import { DAY, HOUR, MINUTE, rfc3339 } from "./time.ts";

/** Sweeps run each minute. After a longer gap than this they are held. */
export const MAX_GAP_MS = HOUR;

/** Sweeps that overlap, or run on machines whose clocks differ a little, are not further apart than this. */
const OVERLAP = 5 * MINUTE;

const Hold = z.looseObject({
  /** When the first sweep was held, and when the last one was. */
  since: z.number(),
  until: z.number(),
  /** How many starvations the last one would have recorded. */
  due: z.int(),
});

/** What sweeps remember; instants in milliseconds since 1970. */
export const SweepClock = z.looseObject({
  /** When the last sweep ran that was not held. */
  at: z.number(),
  /** Set when the clock was set back: what it showed before and after. */
  set_back: z.optional(z.looseObject({ from: z.number(), to: z.number() })),
  /** Set while sweeps are held. */
  held: z.optional(Hold),
  /** Whether a game is being imported: its clock is not there yet. */
  importing: z.optional(z.boolean()),
});
export type SweepClock = z.infer<typeof SweepClock>;

/** What sweeps remember while they are held. */
export type HeldClock = SweepClock & { held: z.infer<typeof Hold> };

export const isHeld = (clock: SweepClock | null): clock is HeldClock => clock?.held !== undefined;

/**
 * Whether the clock is back where it stood before it was set back. That counts for an hour only: what it showed before
 * may have been wrong as well, and a later jump to there must not pass.
 */
const isPutRight = ({ at, set_back }: SweepClock, now: number): boolean =>
  set_back !== undefined && at - set_back.to <= MAX_GAP_MS && Math.abs(now - set_back.from) <= MAX_GAP_MS;

/** Whether no sweep ran for so long that starvations must not be recorded unasked. */
export const isGap = (clock: SweepClock, now: number): boolean =>
  now - clock.at > MAX_GAP_MS && !isPutRight(clock, now);

/** What is remembered after a sweep that was not held; `known` is `null` before the first one. */
export const recordSweep = (known: SweepClock | null, now: number): SweepClock => {
  if (known === null) return { at: now };
  const { held: _, set_back, ...rest } = known;
  // The instant follows a clock that was set back: if it stayed ahead, a later jump up to there would pass.
  if (now < known.at - OVERLAP) return { ...rest, at: now, set_back: { from: known.at, to: now } };
  const at = Math.max(known.at, now);
  const isStillBack = set_back !== undefined && at < set_back.from && at - set_back.to <= MAX_GAP_MS;
  return { ...rest, at, ...(isStillBack ? { set_back } : {}) };
};

/** What is remembered after a sweep that was held. @param due how many starvations it would have recorded */
export const recordHeldSweep = (known: SweepClock, now: number, due: number): HeldClock => ({
  ...known,
  held: { since: known.held?.since ?? now, until: now, due },
});

const lengthInWords = (milliseconds: number): string =>
  milliseconds < 2 * DAY
    ? `${Math.round(milliseconds / HOUR)} hours`
    : `${Math.round(milliseconds / DAY)} days`;

/** Why sweeps are held, in sentences for a game master. */
export const describeHold = ({ at, held: { until, due } }: HeldClock): string =>
  `Sweeps are held and record no starvation. The last one ran at ${rfc3339(at)}. The clock now shows ${rfc3339(until)}, ${lengthInWords(until - at)} later, and ${due === 1 ? "1 zombie" : `${due} zombies`} would be recorded as starved.`;

/** How to go on. @param options the options by which commands find the game, such as `--stage spring` */
export const describeHoldOptions = (options = ""): string => {
  const command = (answer: string) =>
    `npm run sweep -- ${[answer, options].filter((word) => word !== "").join(" ")}`;
  return `If the clock is wrong, set it right: sweeps then go on by themselves. If it is right, decide: ${command("--accept-gap")} lets these zombies starve; ${command("--pause-gap")} counts the gap as a pause, which gives everybody that time back.`;
};
