/** Formats times and durations in the time zone of the device, and times of missions in that of the game. */
import { en } from "./en.ts";
import { isZone, toZoned } from "./zoned.ts";

/** Creates the formatter on first use, because creating one is slow. */
const lazyFormat = (options: Intl.DateTimeFormatOptions): ((at: number) => string) => {
  let formatter: Intl.DateTimeFormat | undefined;
  return (at) => {
    formatter ??= new Intl.DateTimeFormat(en.times.locale, options);
    return formatter.format(at);
  };
};

/** What shows a time in a zone; without one, in that of the device. */
const clockOf = (timeZone?: string) => {
  const by = (options: Intl.DateTimeFormatOptions) => lazyFormat({ ...options, timeZone });
  const time = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" } as const;
  let names: Intl.DateTimeFormat | undefined;
  return {
    clock: by(time),
    seconds: by({ ...time, second: "2-digit" }),
    minute: by({ ...time, weekday: "short" }),
    longDay: by({ weekday: "long" }),
    date: by({ weekday: "short", day: "numeric", month: "short" }),
    dated: by({ weekday: "short", day: "numeric", month: "short", year: "numeric" }),
    /** The number of the day. */
    day(at: number): number {
      if (timeZone !== undefined) return dayNumberIn(timeZone, new Date(at).toISOString());
      const date = new Date(at);
      return Math.round(new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime() / 86_400_000);
    },
    hour: (at: number): number =>
      timeZone === undefined
        ? new Date(at).getHours()
        : Number(toZoned(new Date(at).toISOString(), timeZone).slice(11, 13)),
    /** The name of the zone, such as ` CET`. */
    zone(at: number): string {
      names ??= new Intl.DateTimeFormat(en.times.locale, { timeZoneName: "short", timeZone });
      const part = names.formatToParts(at).find(({ type }) => type === "timeZoneName");
      return part === undefined ? "" : ` ${part.value}`;
    },
  };
};

const dayNumberIn = (zone: string, time: string): number =>
  Date.parse(toZoned(time, zone).slice(0, 10)) / 86_400_000;

const onDevice = clockOf();

/** Of a day that is further away, the year is named. */
const NEAR_DAYS = 180;

/** Formats a month: `November 2026`. */
export const monthText = lazyFormat({ month: "long", year: "numeric" });

/** Formats a day with its year: `30 Nov 2026` in the order of the language. */
export const yearDayText = lazyFormat({ day: "numeric", month: "short", year: "numeric" });

/** Formats a day of the week: `Tue`. */
export const dayText = lazyFormat({ weekday: "short" });

/** Formats a day and a time: `Tue 14:05`. */
export const momentText = (at: number): string => `${dayText(at)} ${onDevice.clock(at)}`;

/** The zone of the game; `null` until it is known. */
let gameZone: string | null = null;
/** An old browser may not know the zone of the game: then it is the clock of the device. */
let inGame = onDevice;

/** Has times name their zone where those of the device and of the game differ. */
export const setGameZone = (zone: string | null): void => {
  if (zone === gameZone) return;
  gameZone = zone;
  inGame = zone !== null && isZone(zone) ? clockOf(zone) : onDevice;
};

/** The number of midnights from one time to another. */
const daysFrom = (from: number, to: number, by: typeof onDevice): number => by.day(to) - by.day(from);

/** The number of the day in the zone of the game, where everybody counts the same days. */
const gameDayNumber = (time: string): number => dayNumberIn(gameZone ?? "UTC", time);

/**
 * The number of a day of the game, from 1; `null` for a game without a start.
 * @param start in RFC 3339
 * @param at milliseconds since 1970
 */
export const gameDay = (start: string | null, at: number): number | null =>
  start === null ? null : gameDayNumber(new Date(at).toISOString()) - gameDayNumber(start) + 1;

/** The hour at which an evening begins. */
const EVENING = 18;

const textBy = (by: typeof onDevice, at: number, now: number, withSeconds = false): string => {
  const days = daysFrom(now, at, by);
  const isTonight = days === 0 && at > now && by.hour(at) >= EVENING;
  const near = isTonight ? en.times.tonight : en.times.near[days + 1];
  const far = Math.abs(days) > NEAR_DAYS ? by.dated : by.date;
  const day = near ?? (days > 1 && days < 7 ? by.longDay(at) : far(at));
  const isSame = inGame.minute(at) === onDevice.minute(at);
  return en.times.at(day, withSeconds ? by.seconds(at) : by.clock(at)) + (isSame ? "" : by.zone(at));
};

/**
 * Formats a time as `today at 14:05`, `tonight at 20:00`, `tomorrow at 09:00`, `Friday at 12:00` or `Mon, Nov 30 at 12:00`,
 * with the year if it is more than half a year away, and with the zone of the device if the game has another one.
 */
export const timeText = (at: number, now: number, withSeconds = false): string =>
  textBy(onDevice, at, now, withSeconds);

/** The same in the zone of the game, for what is at a place: missions. */
export const timeInGame = (at: number, now: number): string => textBy(inGame, at, now);

/** Formats a time in the zone of the game that ends what begins at `start`: a time of the same day is the clock's alone. */
export const endInGame = (start: number, end: number, now: number): string =>
  daysFrom(start, end, inGame) === 0 ? inGame.clock(end) : timeInGame(end, now);

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
