/** Formats times and durations in the device's time zone. */
import { en } from "./en.ts";
import { toZoned } from "./zoned.ts";

/** Creates the formatter on first use, because creating one is slow. */
const lazyFormat = (options: Intl.DateTimeFormatOptions): ((at: number) => string) => {
  let formatter: Intl.DateTimeFormat | undefined;
  return (at) => {
    formatter ??= new Intl.DateTimeFormat(en.times.locale, options);
    return formatter.format(at);
  };
};

const clockText = lazyFormat({ hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const secondsText = lazyFormat({ hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
const longDayText = lazyFormat({ weekday: "long" });
const dateText = lazyFormat({ weekday: "short", day: "numeric", month: "short" });
const datedText = lazyFormat({ weekday: "short", day: "numeric", month: "short", year: "numeric" });
/** Of a day that is further away, the year is named. */
const NEAR_DAYS = 180;

/** Formats a month: `November 2026`. */
export const monthText = lazyFormat({ month: "long", year: "numeric" });

/** Formats a day with its year: `30 Nov 2026` in the order of the language. */
export const yearDayText = lazyFormat({ day: "numeric", month: "short", year: "numeric" });

/** Formats a day of the week: `Tue`. */
export const dayText = lazyFormat({ weekday: "short" });

/** Formats a day and a time: `Tue 14:05`. */
export const momentText = (at: number): string => `${dayText(at)} ${clockText(at)}`;

/** The zone of the game; `null` until it is known. */
let gameZone: string | null = null;
let inGameZone = lazyFormat({});
const MINUTE_PARTS = { weekday: "short", hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
const onDevice = lazyFormat(MINUTE_PARTS);
let zoneFormat: Intl.DateTimeFormat | undefined;

/** Has times name the zone of the device where it is not that of the game. */
export const setGameZone = (zone: string | null): void => {
  if (zone === gameZone) return;
  gameZone = zone;
  inGameZone = lazyFormat({ ...MINUTE_PARTS, timeZone: zone ?? undefined });
};

/** The zone of the device, such as ` CET`, if the clock of the game shows another time. */
const zoneText = (at: number): string => {
  try {
    if (gameZone === null || inGameZone(at) === onDevice(at)) return "";
  } catch {
    // An old browser may not know the zone of the game.
    return "";
  }
  zoneFormat ??= new Intl.DateTimeFormat(en.times.locale, { timeZoneName: "short" });
  const part = zoneFormat.formatToParts(at).find(({ type }) => type === "timeZoneName");
  return part === undefined ? "" : ` ${part.value}`;
};

const dayNumber = (at: number): number => {
  const date = new Date(at);
  return Math.round(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / 86_400_000);
};

/** The number of midnights from one time to another. */
const daysFrom = (from: number, to: number): number => dayNumber(to) - dayNumber(from);

/** The number of the day in the zone of the game, where everybody counts the same days. */
const gameDayNumber = (time: string): number =>
  Date.parse(toZoned(time, gameZone ?? "UTC").slice(0, 10)) / 86_400_000;

/**
 * The number of a day of the game, from 1; `null` for a game without a start.
 * @param start in RFC 3339
 * @param at milliseconds since 1970
 */
export const gameDay = (start: string | null, at: number): number | null =>
  start === null ? null : gameDayNumber(new Date(at).toISOString()) - gameDayNumber(start) + 1;

/** The hour at which an evening begins. */
const EVENING = 18;

/**
 * Formats a time as `today at 14:05`, `tonight at 20:00`, `tomorrow at 09:00`, `Friday at 12:00` or `Mon, Nov 30 at 12:00`,
 * with the year if it is more than half a year away, and with the zone of the device if the game has another one.
 */
export const timeText = (at: number, now: number, withSeconds = false): string => {
  const days = daysFrom(now, at);
  const clock = withSeconds ? secondsText(at) : clockText(at);
  const isTonight = days === 0 && at > now && new Date(at).getHours() >= EVENING;
  const near = isTonight ? en.times.tonight : en.times.near[days + 1];
  const far = Math.abs(days) > NEAR_DAYS ? datedText : dateText;
  const day = near ?? (days > 1 && days < 7 ? longDayText(at) : far(at));
  return en.times.at(day, clock) + zoneText(at);
};

/** Formats a time that ends what begins at `start`: a time of the same day is the clock's alone. */
export const endText = (start: number, end: number, now: number): string =>
  daysFrom(start, end) === 0 ? clockText(end) : timeText(end, now);

/** Formats the time since `at`: `now`, `5 min`, `3 h` or `2 d`. */
export const agoText = (at: number, now: number): string => {
  const minutes = Math.max(0, Math.floor((now - at) / 60_000));
  if (minutes < 1) return en.times.now;
  if (minutes < 60) return en.times.ago(minutes, "min");
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? en.times.ago(hours, "h") : en.times.ago(Math.floor(hours / 24), "d");
};

const twoDigits = (value: number): string => String(value).padStart(2, "0");

/** Formats a countdown as hours, minutes and seconds: `47:12:09`. */
export const countdownText = (seconds: number): string => {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${twoDigits(Math.floor(whole / 3_600))}:${twoDigits(Math.floor(whole / 60) % 60)}:${twoDigits(whole % 60)}`;
};
