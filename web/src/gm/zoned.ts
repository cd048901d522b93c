/** Converts between RFC 3339 and local times in the game's time zone, as in `<input type="datetime-local">`. */

/** Returns the local time at an instant as if it were UTC, in milliseconds since 1970. */
const localAt = (at: number, zone: string): number => {
  const parts = new Intl.DateTimeFormat("en", {
    timeZone: zone,
    hourCycle: "h23",
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  }).formatToParts(at);
  const partOf = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(partOf("year"), partOf("month") - 1, partOf("day"), partOf("hour"), partOf("minute"));
};

/** Converts RFC 3339 into a local time such as `2026-11-21T07:24`. */
export const toZoned = (time: string, zone: string): string =>
  new Date(localAt(Date.parse(time), zone)).toISOString().slice(0, 16);

/** Converts a local time into RFC 3339. A local time that daylight saving skips is off by an hour. */
export const fromZoned = (local: string, zone: string): string => {
  const target = Date.parse(`${local}Z`);
  const first = target - (localAt(target, zone) - target);
  return new Date(first - (localAt(first, zone) - target)).toISOString();
};

/** Formats a time with weekday and date in a time zone: `Mon 23 Nov, 14:05`. */
export const zonedText = (time: string, zone: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(Date.parse(time));
