/** The weekly play hours. A range that ends before it begins goes on after midnight, until its end on the next day. */
import type { PlayHours } from "../schemas.ts";

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Day = (typeof DAYS)[number];

const MIDNIGHT = "00:00";
/** The service's name of the midnight at the end of a day. */
export const END_OF_DAY = "24:00";

const DEFAULT_HOURS: PlayHours = Object.fromEntries(DAYS.map((day) => [day, [["08:00", "22:00"]]]));

/** Returns the initial play hours of the form: every day from 08:00 to 22:00. */
export const defaultHours = (): PlayHours => structuredClone(DEFAULT_HOURS);

/** Converts `HH:MM` into minutes since midnight. */
export const minutesOf = (time: string): number => {
  const [hours = "0", minutes = "0"] = time.split(":");
  return Number(hours) * 60 + Number(minutes);
};

/** The day a number of days later, in a week that begins again after Sunday. */
const daysLater = (day: Day, days: number): Day =>
  DAYS[(DAYS.indexOf(day) + days + DAYS.length) % DAYS.length] ?? day;

const byBegin = ([one = ""]: string[], [other = ""]: string[]): number => minutesOf(one) - minutesOf(other);

/** Whether a range goes on after midnight. */
const isOvernight = ([from = "", to = ""]: string[]): boolean => minutesOf(to) < minutesOf(from);

/** Splits ranges at midnight, as the service stores them: sorted, and without empty ranges and days. */
export const splitNights = (hours: PlayHours): PlayHours => {
  const split = DAYS.flatMap((day) =>
    (hours[day] ?? []).flatMap((range): [Day, string[]][] => {
      const [from = "", to = ""] = range;
      if (!isOvernight(range)) return [[day, range]];
      return [
        [day, [from, END_OF_DAY]],
        [daysLater(day, 1), [MIDNIGHT, to]],
      ];
    }),
  ).filter(([, [from, to]]) => from !== to);
  const rangesOf = (day: Day): string[][] =>
    split
      .filter(([of]) => of === day)
      .map(([, range]) => range)
      .toSorted(byBegin);
  return Object.fromEntries(
    DAYS.map((day) => [day, rangesOf(day)] as const).filter(([, ranges]) => ranges.length > 0),
  );
};

/**
 * Joins ranges that were split at midnight, so that a night is shown as one range of the day on which it begins. Days that
 * are played from midnight to midnight stay apart.
 */
export const joinNights = (hours: PlayHours): PlayHours => {
  const joined: Partial<Record<Day, string[][]>> = {};
  const endsAtMidnight = (day: Day): string[] | undefined =>
    hours[day]?.find(([from, to]) => to === END_OF_DAY && from !== MIDNIGHT);
  const beginsAtMidnight = (day: Day): string[] | undefined =>
    hours[day]?.find(([from, to]) => from === MIDNIGHT && to !== END_OF_DAY);
  /** The two parts of a night that begins on a day. A range of 24 hours or more would not be one. */
  const nightOf = (day: Day): readonly [string[], string[]] | undefined => {
    const [evening, morning] = [endsAtMidnight(day), beginsAtMidnight(daysLater(day, 1))];
    if (evening === undefined || morning === undefined) return undefined;
    const isShort = minutesOf(morning[1] ?? "") < minutesOf(evening[0] ?? "");
    return isShort ? [evening, morning] : undefined;
  };
  for (const day of DAYS) {
    const [night, before] = [nightOf(day), nightOf(daysLater(day, -1))];
    const ranges = (hours[day] ?? [])
      .filter((range) => range !== before?.[1])
      .map((range) => (range === night?.[0] ? [range[0] ?? "", night[1][1] ?? ""] : range));
    if (ranges.length > 0) joined[day] = ranges.toSorted(byBegin);
  }
  return joined;
};

/** Returns the total hours of play in a week. @param hours as the service stores them */
export const weekHours = (hours: PlayHours): number =>
  DAYS.flatMap((day) => hours[day] ?? []).reduce(
    (sum, [from = "", to = ""]) => sum + Math.max(0, minutesOf(to) - minutesOf(from)) / 60,
    0,
  );
