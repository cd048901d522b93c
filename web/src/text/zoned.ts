/** Converts between RFC 3339 and local times in a time zone, as in `<input type="datetime-local">`. */

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

/** Whether this is the name of a time zone that the browser and the service know. A bare offset such as +02:00 is none. */
export const isZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return /^[a-z]/i.test(name);
  } catch {
    return false;
  }
};

/** The name of a zone, which a narrow screen may break after each of its parts. */
export const zoneText = (zone: string): string => zone.replaceAll(/[/_]/g, "$&\u200B");

/** The zone, or UTC if an old browser does not know it. */
const knownZone = (zone: string): string => (isZone(zone) ? zone : "UTC");

/** Making one is slow, and a form shows several times. */
const formats = new Map<string, Intl.DateTimeFormat>();
const formatOf = (zone: string): Intl.DateTimeFormat => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat("en", {
      timeZone: knownZone(zone),
      hourCycle: "h23",
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
    });
  formats.set(zone, format);
  return format;
};

/** Returns the local time at an instant as if it were UTC, in milliseconds since 1970. */
const localAt = (at: number, zone: string): number => {
  const parts = formatOf(zone).formatToParts(at);
  const partOf = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(partOf("year"), partOf("month") - 1, partOf("day"), partOf("hour"), partOf("minute"));
};

/** By how much the local time is ahead of UTC at an instant, in milliseconds. */
const offsetAt = (at: number, zone: string): number =>
  localAt(at, zone) - Math.floor(at / MINUTE_MS) * MINUTE_MS;

/** Converts RFC 3339 into a local time such as `2026-11-21T07:24`. */
export const toZoned = (time: string, zone: string): string =>
  new Date(localAt(Date.parse(time), zone)).toISOString().slice(0, 16);

/** What a local time can mean. */
export interface LocalTime {
  /** RFC 3339: one time, two if the clocks show it twice, none if they skip it. */
  times: readonly string[];
  /** For a time that is skipped: as long before and after the change as it seems to be. */
  instead: readonly string[];
}

/** A local time as a date field gives it. Years before 1970 are half-typed ones. */
const LOCAL = /^(?:19[7-9]\d|[2-9]\d{3})-\d\d-\d\dT\d\d:\d\d$/;

/** The instants at which clocks in a zone show a local time; `null` for a text that is none. */
export const readLocal = (local: string, zone: string): LocalTime | null => {
  const target = LOCAL.test(local) ? Date.parse(`${local}Z`) : Number.NaN;
  if (Number.isNaN(target)) return null;
  // Clocks change at most once within two days.
  const offsets = [offsetAt(target - DAY_MS, zone), offsetAt(target + DAY_MS, zone)];
  const all = [...new Set(offsets)].map((offset) => target - offset).toSorted((one, other) => one - other);
  const times = all.filter((at) => localAt(at, zone) === target);
  const texts = (list: readonly number[]): string[] => list.map((at) => new Date(at).toISOString());
  return { times: texts(times), instead: times.length === 0 ? texts(all) : [] };
};

/** Formats a time with weekday and date in a time zone: `Mon 23 Nov, 14:05`. */
export const zonedText = (time: string, zone: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone: knownZone(zone),
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(Date.parse(time));

const zoneName = (at: number, zone: string, timeZoneName: "long" | "longOffset" | "shortOffset"): string =>
  new Intl.DateTimeFormat("en", { timeZone: knownZone(zone), timeZoneName })
    .formatToParts(at)
    .find(({ type }) => type === "timeZoneName")?.value ?? "";

/** Names the offset of a zone at an instant: `UTC+2`. @param at milliseconds since 1970 */
export const offsetText = (at: number, zone: string): string =>
  zoneName(at, zone, "shortOffset").replace("GMT", "UTC");

/** Names which of two equal local times is meant: `Central European Summer Time, UTC+2`. */
export const seasonText = (time: string, zone: string): string => {
  const at = Date.parse(time);
  return `${zoneName(at, zone, "long")}, ${offsetText(at, zone)}`;
};

/** The day of a time in a zone: `Thursday 26 November`. */
export const dayIn = (time: string, zone: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone: knownZone(zone),
    ...{ weekday: "long", day: "numeric", month: "long" },
  }).format(Date.parse(time));

/** The time of day in a zone: `19:05`. */
export const clockIn = (time: string, zone: string): string => toZoned(time, zone).slice(11);
