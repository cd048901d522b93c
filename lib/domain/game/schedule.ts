/**
 * When a game is played: between its start and its end, and within its play hours. Play time is the wall clock without
 * the time in which the game is not played. The game clock counts play time, so nights, the start and the end need no
 * write, whatever the number of zombies.
 */
import { tzOffset } from "@date-fns/tz/tzOffset";
import * as z from "zod/mini";
import { number, text } from "../schemas.ts";
import { DAY, HOUR, MINUTE } from "../time.ts";

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
const time = z.string().check(z.maxLength("08:00".length));
/** The most ranges of play hours in a day. Every range of every day is a window, for as long as the game is planned. */
const MAX_RANGES = 12;

/** Ranges of local time, such as `["08:00", "22:00"]`, for each day of the week. A missing day has none. */
export const PlayHours = z.partialRecord(z.enum(WEEKDAYS), z.array(Range));
export type PlayHours = z.infer<typeof PlayHours>;

/** Play hours in a request. Earlier versions have stored more ranges than it may have. */
export const NewPlayHours = z.lazy(() =>
  z.partialRecord(z.enum(WEEKDAYS), z.array(z.tuple([time, time])).check(z.maxLength(MAX_RANGES))),
);

/** The years 1970 to 2969: far from the years 0 and 10000, beyond which a time no longer has four digits. */
const LATEST = 1_000 * 365 * DAY;

/** An instant of a schedule, brought into the range in which every rule can count: earlier versions stored any year. */
const boundedInstant = z.nullable(
  z.pipe(
    number,
    z.transform((instant) => Math.min(Math.max(instant, 0), LATEST)),
  ),
);

/** A schedule as stored. Instants are milliseconds since 1970; `null` means no limit. */
export const Schedule = z.looseObject({
  /** When the schedule was set. All time before counts as play time. */
  since: number,
  /** The IANA time zone of the play hours. */
  time_zone: text,
  starts_at: boundedInstant,
  ends_at: boundedInstant,
  play_hours: z.nullable(PlayHours),
});
export type Schedule = z.infer<typeof Schedule>;

/** Minutes since midnight of a time such as `08:30`; `24:00` is the end of the day. */
export const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** The windows of play since the schedule was set, in order, as parallel arrays in milliseconds. */
interface Windows {
  from: number[];
  until: number[];
  /** The play time before each window. */
  before: number[];
  /** The instant up to which the windows have been computed. */
  knownUntil: number;
}

/** Windows are computed on demand, for this long at a time. */
const STEP = 30 * DAY;
/** No windows are computed further ahead: a later deadline counts as never reached. */
const HORIZON = 20 * 366 * DAY;

const firstInstant = ({ since, starts_at }: Schedule): number => Math.max(since, starts_at ?? since);
const lastInstant = (schedule: Schedule): number =>
  Math.min(schedule.ends_at ?? Number.POSITIVE_INFINITY, firstInstant(schedule) + HORIZON);

const offsetAt = (zone: string, instant: number): number => tzOffset(zone, new Date(instant)) * MINUTE;

/** The instant in `(early, late]` at which the zone's offset changes. It must differ between `early` and `late`. */
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

/** Splits a period into parts with a constant offset from UTC, in milliseconds. */
function* constantOffsets(zone: string, from: number, until: number) {
  let begin = from;
  for (let instant = from; instant < until; ) {
    const next = Math.min(instant + DAY, until);
    const offset = offsetAt(zone, begin);
    if (offsetAt(zone, next) !== offset) {
      const change = changeBetween(zone, instant, next);
      yield { begin, end: change, offset };
      begin = change;
      instant = change;
    } else instant = next;
  }
  if (begin < until) yield { begin, end: until, offset: offsetAt(zone, begin) };
}

/** The windows of play hours between two instants, in order. */
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

const playBefore = ({ from, until, before }: Windows, index: number): number => {
  const last = index - 1;
  return last < 0 ? 0 : (before[last] ?? 0) + (until[last] ?? 0) - (from[last] ?? 0);
};

/** Computes the windows of another step. @returns `false` if there are no more */
const extend = (windows: Windows, schedule: Schedule): boolean => {
  const { play_hours: hours, time_zone: zone } = schedule;
  const from = windows.knownUntil;
  const end = lastInstant(schedule);
  if (from >= end) return false;
  const until = hours === null ? end : Math.min(from + STEP, end);
  const added = hours === null ? [{ from, until }] : playHours(hours, zone, from, until);
  for (const window of added) {
    const index = windows.from.length;
    if (windows.until[index - 1] === window.from) windows.until[index - 1] = window.until;
    else {
      windows.before.push(playBefore(windows, index));
      windows.from.push(window.from);
      windows.until.push(window.until);
    }
  }
  windows.knownUntil = until;
  return true;
};

/** Windows are cached by object and by content, because every request reads the schedule anew. */
const bySchedule = new WeakMap<Schedule, Windows>();
const byText = new Map<string, Windows>();
const MAX_SCHEDULES = 20;

const windowsOf = (schedule: Schedule): Windows => {
  const cached = bySchedule.get(schedule);
  if (cached !== undefined) return cached;
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

/** The index of the last window that has begun by `instant`; -1 if none has. */
const windowAt = (windows: Windows, schedule: Schedule, instant: number): number => {
  while (windows.knownUntil <= instant && extend(windows, schedule)) {}
  return countUpTo(windows.from, instant) - 1;
};

/** Play time at an instant, in milliseconds. Without a schedule, and before it was set, it equals the wall clock. */
export const playTime = (schedule: Schedule | null, instant: number): number => {
  if (schedule === null || instant <= schedule.since) return instant;
  const windows = windowsOf(schedule);
  const index = windowAt(windows, schedule, instant);
  const [from, until, before] = [windows.from[index], windows.until[index], windows.before[index]];
  if (from === undefined || until === undefined || before === undefined) return schedule.since;
  return schedule.since + before + Math.min(instant, until) - from;
};

/**
 * The first instant with this play time: the inverse of {@link playTime}.
 * @returns milliseconds since 1970, or `null` if the game ends before that
 */
export const instantAtPlayTime = (schedule: Schedule | null, time: number): number | null => {
  if (schedule === null || time <= schedule.since) return time;
  const windows = windowsOf(schedule);
  const needed = time - schedule.since;
  while (playBefore(windows, windows.from.length) < needed && extend(windows, schedule)) {}
  // The last window with less play time before it than needed.
  const index = countUpTo(windows.before, needed - 1) - 1;
  const [from, until, before] = [windows.from[index], windows.until[index], windows.before[index]];
  if (from === undefined || until === undefined || before === undefined) return null;
  const instant = from + needed - before;
  return instant <= until ? instant : null;
};

/** Whether an instant is within play time, regardless of pauses. */
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
  const index = windowAt(windows, schedule, instant);
  // Play hours repeat every week: a window that is longer than a step ends only with the game.
  const searchEnd = instant + STEP;
  while (
    windows.until[index] === windows.knownUntil &&
    windows.knownUntil < searchEnd &&
    extend(windows, schedule)
  ) {}
  const until = windows.until[index];
  if (until !== undefined && instant < until) return until < windows.knownUntil ? until : schedule.ends_at;
  if (windows.from[index + 1] === undefined) extend(windows, schedule);
  return windows.from[index + 1] ?? null;
};

/** A longer period is divided into days instead of hours. */
const MAX_HOURLY = 14 * DAY;

/** The beginning of the hour or day that contains an instant, in the local time of a zone. */
const startOf = (zone: string, length: number, instant: number): number => {
  const beginAtOffset = (offset: number): number => Math.floor((instant + offset) / length) * length - offset;
  const begin = beginAtOffset(offsetAt(zone, instant));
  // On a day on which the clocks change, midnight had another offset.
  const earlier = beginAtOffset(offsetAt(zone, begin));
  return earlier <= instant ? earlier : begin;
};

/** Divides a period into the hours or, if it is long, the days of a zone. @returns the instants at which they begin */
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
