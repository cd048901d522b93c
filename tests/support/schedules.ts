/** Schedules for tests, and the local time of an instant as Intl knows it. */
import fc from "fast-check";
import { type PlayHours, type Schedule, WEEKDAYS } from "../../lib/domain/schedule.ts";

export const schedule = (more: Partial<Schedule> = {}): Schedule => ({
  ...{ since: 0, time_zone: "UTC", starts_at: null, ends_at: null, play_hours: null },
  ...more,
});

/** Changes of daylight saving time, by half an hour and two hours too, and a zone whose rules follow Ramadan. */
export const CHANGES = [
  ["Europe/Berlin", "2026-10-25"],
  ["America/New_York", "2027-03-14"],
  ["Australia/Lord_Howe", "2027-04-04"],
  ["America/St_Johns", "2026-11-01"],
  ["Africa/Casablanca", "2027-02-07"],
  ["Antarctica/Troll", "2027-03-28"],
] as const;

const pad = (number: number): string => String(number).padStart(2, "0");
const clockTime = (minutes: number): string => `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;

/** Up to two ranges a day, on any days. */
export const playHours = fc
  .array(fc.uniqueArray(fc.integer({ min: 0, max: 24 * 60 }), { maxLength: 4 }), {
    minLength: 7,
    maxLength: 7,
  })
  .map(
    (days): PlayHours =>
      Object.fromEntries(
        days.map((times, day) => {
          const [a, b, c, d] = times.toSorted((one, other) => one - other).map(clockTime);
          const ranges: [string, string][] = [];
          if (a !== undefined && b !== undefined) ranges.push([a, b]);
          if (c !== undefined && d !== undefined) ranges.push([c, d]);
          return [WEEKDAYS[day] ?? "sunday", ranges];
        }),
      ),
  );

/** Local time as `Mon 08:30`. */
export const localTime = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat("en-GB", {
    ...{ timeZone, weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" },
  });

/** Whether the game is played in the minute that begins at an instant, by its local time. */
export const isPlayed = (one: Schedule, format: Intl.DateTimeFormat, instant: number): boolean => {
  if (instant < one.since) return true;
  if (instant < (one.starts_at ?? 0) || instant >= (one.ends_at ?? Number.POSITIVE_INFINITY)) return false;
  if (one.play_hours === null) return true;
  const hours = one.play_hours;
  const [day = "", time = ""] = format.format(instant).split(" ");
  const ranges = hours[WEEKDAYS.find((name) => name.startsWith(day.toLowerCase())) ?? "sunday"] ?? [];
  return ranges.some(([opens, closes]) => opens <= time && time < closes);
};
