/** The weekly play hours. */
import type { Settings } from "./schemas.ts";

export const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] as const;
export type Day = (typeof DAYS)[number];
export type PlayHours = NonNullable<Settings["play_hours"]>;

const DEFAULT_HOURS: PlayHours = Object.fromEntries(DAYS.map((day) => [day, [["08:00", "22:00"]]]));

/** Returns the initial play hours of the form: every day from 08:00 to 22:00. */
export const defaultHours = (): PlayHours => structuredClone(DEFAULT_HOURS);

/** Converts `HH:MM` into minutes since midnight. */
export const minutesOf = (time: string): number => {
  const [hours = "0", minutes = "0"] = time.split(":");
  return Number(hours) * 60 + Number(minutes);
};

/** Returns the total hours of play in a week. */
export const weekHours = (hours: PlayHours): number =>
  DAYS.flatMap((day) => hours[day] ?? []).reduce(
    (sum, [from = "", to = ""]) => sum + Math.max(0, minutesOf(to) - minutesOf(from)) / 60,
    0,
  );

/** Sorts the ranges of each day, and removes empty ranges and days. */
export const normalizeHours = (hours: PlayHours): PlayHours =>
  Object.fromEntries(
    DAYS.map((day): [Day, string[][]] => [
      day,
      (hours[day] ?? [])
        .filter(([from = "", to = ""]) => minutesOf(from) < minutesOf(to))
        .toSorted(([one = ""], [other = ""]) => minutesOf(one) - minutesOf(other)),
    ]).filter(([, ranges]) => ranges.length > 0),
  );
