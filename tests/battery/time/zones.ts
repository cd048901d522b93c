/** Time zones that put their clocks forward and back, and this process as a machine that stands in one of them. */
import { DAY, HOUR, MINUTE } from "../../../lib/domain/time.ts";

/** Half an hour and two hours, half hours beside Greenwich, both halves of the year, and a month of fasting. */
export const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Africa/Casablanca",
  "Antarctica/Troll",
] as const;

/** A change of the clocks on the wall. */
export interface Change {
  /** The first instant after it. */
  at: number;
  /** How far the clocks went, in minutes: forward or, below nothing, back. */
  by: number;
}

/** Minutes by which local time is ahead of UTC, as this process has it now. */
const offsetAt = (instant: number): number => 0 - new Date(instant).getTimezoneOffset();

/** Does something while this process stands in a zone. */
export const standingIn = async (zone: string, work: () => Promise<void>): Promise<void> => {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    if (new Intl.DateTimeFormat().resolvedOptions().timeZone !== zone)
      throw new Error(`${zone} did not take`);
    await work();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
};

const changeBetween = (before: number, after: number): Change => {
  let [early, late] = [before, after];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (offsetAt(middle) === offsetAt(before)) early = middle;
    else late = middle;
  }
  return { at: late, by: offsetAt(late) - offsetAt(early) };
};

/** The changes between two instants, where this process stands. */
export const changesIn = (from: number, until: number): Change[] => {
  const changes: Change[] = [];
  for (let at = from; at < until; at += DAY) {
    if (offsetAt(at) !== offsetAt(at + DAY)) changes.push(changeBetween(at, at + DAY));
  }
  return changes;
};

/** An instant as RFC 3339 with so many minutes from UTC; as the clock on the wall shows it, unless said. */
export const rfc3339At = (instant: number, offset = offsetAt(instant)): string => {
  const shown = new Date(instant + offset * MINUTE).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor((Math.abs(offset) * MINUTE) / HOUR), Math.abs(offset) % 60];
  const two = (number: number): string => String(number).padStart(2, "0");
  return `${shown}${offset < 0 ? "-" : "+"}${two(hours)}:${two(minutes)}`;
};
