/**
 * When a game is played: between its start and its end, and within its play hours. Play time is the wall clock without
 * the time in which the game is not played. The game clock counts play time, so nights, the start and the end need no
 * write, whatever the number of zombies.
 */
import { tzOffset } from "@date-fns/tz/tzOffset";
import * as z from "zod/mini";
import { nullableNumber, number, text } from "./schemas.ts";
import { DAY, HOUR, MINUTE } from "./time.ts";

/** In the order of `Date.getUTCDay`. */
export const WEEKDAYS = [
  "sunday",
  "monday",
  "tuesday",
  "wednesday",
  "thursday",
  "friday",
  "saturday",
] as const;

const Range = z.tuple([text, text]);

/** Ranges of local time, such as `["08:00", "22:00"]`, for each day of the week. A missing day has none. */
export const PlayHours = z.partialRecord(z.enum(WEEKDAYS), z.array(Range));
export type PlayHours = z.infer<typeof PlayHours>;

/** A schedule as stored. Instants are milliseconds since 1970; `null` means no limit. */
export const Schedule = z.looseObject({
  /** When the schedule was set. All time before counts as play time. */
  since: number,
  /** The IANA time zone of the play hours. */
  time_zone: text,
  starts_at: nullableNumber,
  ends_at: nullableNumber,
  play_hours: z.nullable(PlayHours),
});
export type Schedule = z.infer<typeof Schedule>;

/** Minutes since midnight of a time such as `08:30`; `24:00` is the end of the day. */
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** Windows of play since the schedule was set, in order, and the play time before each, in milliseconds. */
interface Windows {
  from: number[];
  until: number[];
  before: number[];
  /** The windows are known up to this instant. */
  knownUntil: number;
}

/** The windows are computed for this long at a time. */
const STEP = 30 * DAY;
/** No schedule is looked at further ahead: a deadline beyond is never reached. */
const HORIZON = 20 * 366 * DAY;

const firstInstant = ({ since, starts_at }: Schedule): number => Math.max(since, starts_at ?? since);
const lastInstant = (schedule: Schedule): number =>
  Math.min(schedule.ends_at ?? Number.POSITIVE_INFINITY, firstInstant(schedule) + HORIZON);

const offsetAt = (zone: string, instant: number): number => tzOffset(zone, new Date(instant)) * MINUTE;

/** The first instant in `(early, late]` with another offset than `early`, where `late` has another. */
const changeBetween = (zone: string, early: number, late: number): number => {
  const offset = offsetAt(zone, early);
  let [before, after] = [early, late];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offsetAt(zone, middle) === offset) before = middle;
    else after = middle;
  }
  return after;
};

/** Splits a time into parts with one offset from UTC each, in milliseconds. */
function* constantOffsets(zone: string, from: number, until: number) {
  let begin = from;
  for (let at = from; at < until; ) {
    const next = Math.min(at + DAY, until);
    const offset = offsetAt(zone, begin);
    if (offsetAt(zone, next) !== offset) {
      const change = changeBetween(zone, at, next);
      yield { begin, end: change, offset };
      begin = change;
      at = change;
    } else at = next;
  }
  if (begin < until) yield { begin, end: until, offset: offsetAt(zone, begin) };
}

/** The play hours between two instants, in order. */
function* playHours(hours: PlayHours, zone: string, from: number, until: number) {
  for (const { begin, end, offset } of constantOffsets(zone, from, until)) {
    for (let midnight = Math.floor((begin + offset) / DAY) * DAY; midnight < end + offset; midnight += DAY) {
      const day = WEEKDAYS[new Date(midnight).getUTCDay()] ?? "sunday";
      for (const [opens, closes] of (hours[day] ?? []).toSorted()) {
        const window = {
          from: Math.max(begin, midnight - offset + minutesOf(opens) * MINUTE),
          until: Math.min(end, midnight - offset + minutesOf(closes) * MINUTE),
        };
        if (window.from < window.until) yield window;
      }
    }
  }
}

const playBefore = ({ from, until, before }: Windows, at: number): number => {
  const last = at - 1;
  return last < 0 ? 0 : (before[last] ?? 0) + (until[last] ?? 0) - (from[last] ?? 0);
};

/** Adds the windows of another step. @returns whether there can be more */
const extend = (windows: Windows, schedule: Schedule): boolean => {
  const { play_hours: hours, time_zone: zone } = schedule;
  const from = windows.knownUntil;
  const end = lastInstant(schedule);
  if (from >= end) return false;
  const until = hours === null ? end : Math.min(from + STEP, end);
  const added = hours === null ? [{ from, until }] : playHours(hours, zone, from, until);
  for (const window of added) {
    const at = windows.from.length;
    if (windows.until[at - 1] === window.from) windows.until[at - 1] = window.until;
    else {
      windows.before.push(playBefore(windows, at));
      windows.from.push(window.from);
      windows.until.push(window.until);
    }
  }
  windows.knownUntil = until;
  return true;
};

/** A schedule is read with every request, so its windows are kept by what it says. */
const bySchedule = new WeakMap<Schedule, Windows>();
const byText = new Map<string, Windows>();
const MAX_SCHEDULES = 20;

const windowsOf = (schedule: Schedule): Windows => {
  const known = bySchedule.get(schedule);
  if (known !== undefined) return known;
  const key = JSON.stringify(schedule);
  const windows = byText.get(key) ?? { from: [], until: [], before: [], knownUntil: firstInstant(schedule) };
  if (byText.size >= MAX_SCHEDULES) byText.clear();
  byText.set(key, windows);
  bySchedule.set(schedule, windows);
  return windows;
};

/** The number of leading elements of an ascending list that are at most `value`. */
const countUpTo = (list: readonly number[], value: number): number => {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** The window that has begun at `instant` most recently, by its place; -1 if none has. */
const windowAt = (windows: Windows, schedule: Schedule, instant: number): number => {
  while (windows.knownUntil <= instant && extend(windows, schedule)) {}
  return countUpTo(windows.from, instant) - 1;
};

/**
 * Play time at an instant, in milliseconds. It equals the wall clock until the schedule was set, and wherever there is no
 * schedule.
 */
export const playTime = (schedule: Schedule | null, instant: number): number => {
  if (schedule === null || instant <= schedule.since) return instant;
  const windows = windowsOf(schedule);
  const at = windowAt(windows, schedule, instant);
  const [from, until, before] = [windows.from[at], windows.until[at], windows.before[at]];
  if (from === undefined || until === undefined || before === undefined) return schedule.since;
  return schedule.since + before + Math.min(instant, until) - from;
};

/**
 * The first instant with this play time: the inverse of {@link playTime}.
 * @returns milliseconds since 1970, or `null` if the game ends before
 */
export const instantAtPlayTime = (schedule: Schedule | null, time: number): number | null => {
  if (schedule === null || time <= schedule.since) return time;
  const windows = windowsOf(schedule);
  const needed = time - schedule.since;
  while (playBefore(windows, windows.from.length) < needed && extend(windows, schedule)) {}
  // The last window before which there is less play time than needed.
  const at = countUpTo(windows.before, needed - 1) - 1;
  const [from, until, before] = [windows.from[at], windows.until[at], windows.before[at]];
  if (from === undefined || until === undefined || before === undefined) return null;
  const instant = from + needed - before;
  return instant <= until ? instant : null;
};

/** Whether the game is played at an instant, pauses aside. */
export const isPlayTime = (schedule: Schedule | null, instant: number): boolean => {
  if (schedule === null || instant < schedule.since) return true;
  const windows = windowsOf(schedule);
  const until = windows.until[windowAt(windows, schedule, instant)];
  return until !== undefined && instant < until;
};

/** The next instant after `instant` at which play begins or ends; `null` if it never does again. */
export const nextChange = (schedule: Schedule | null, instant: number): number | null => {
  if (schedule === null) return null;
  const windows = windowsOf(schedule);
  const at = windowAt(windows, schedule, instant);
  // Play hours repeat every week: a window that lasts longer ends with the game.
  const enough = instant + STEP;
  while (
    windows.until[at] === windows.knownUntil &&
    windows.knownUntil < enough &&
    extend(windows, schedule)
  ) {}
  const until = windows.until[at];
  if (until !== undefined && instant < until) return until < windows.knownUntil ? until : schedule.ends_at;
  if (windows.from[at + 1] === undefined) extend(windows, schedule);
  return windows.from[at + 1] ?? null;
};

/** A longer time is divided into days instead of hours. */
const MAX_HOURLY = 14 * DAY;

/** The beginning of the hour or day in which an instant lies, by the local time of a zone. */
const startOf = (zone: string, length: number, instant: number): number => {
  const beginBy = (offset: number): number => Math.floor((instant + offset) / length) * length - offset;
  const begin = beginBy(offsetAt(zone, instant));
  // On a day on which the clocks change, midnight had another offset.
  const earlier = beginBy(offsetAt(zone, begin));
  return earlier <= instant ? earlier : begin;
};

/** Divides a time into the hours or, if it is long, the days of a zone. @returns when they begin */
export const hoursOrDays = (
  zone: string,
  from: number,
  until: number,
): { step: "hour" | "day"; starts: number[] } => {
  const step = until - from > MAX_HOURLY ? "day" : "hour";
  const length = step === "day" ? DAY : HOUR;
  const starts: number[] = [];
  let begin = startOf(zone, length, from);
  while (begin <= until) {
    starts.push(begin);
    // One and a half: a day may have 25 hours.
    const next = startOf(zone, length, begin + 1.5 * length);
    begin = next > begin ? next : begin + length;
  }
  return { step, starts };
};
