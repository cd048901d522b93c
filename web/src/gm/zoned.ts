/** Local times of the game's time zone, as `<input type="datetime-local">` has them. */

/** The local time at an instant, as if it were UTC, in milliseconds. */
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
  const of = (type: string): number => Number(parts.find((part) => part.type === type)?.value);
  return Date.UTC(of("year"), of("month") - 1, of("day"), of("hour"), of("minute"));
};

/** @param time RFC 3339 @returns `2026-11-21T07:24` */
export const toZoned = (time: string, zone: string): string =>
  new Date(localAt(Date.parse(time), zone)).toISOString().slice(0, 16);

/** @param local `2026-11-21T07:24` @returns RFC 3339; of a time that summer time skips, one that is an hour off */
export const fromZoned = (local: string, zone: string): string => {
  const wanted = Date.parse(`${local}Z`);
  const first = wanted - (localAt(wanted, zone) - wanted);
  return new Date(first - (localAt(first, zone) - wanted)).toISOString();
};

/** Weekday, date and time in a zone: `Mon 23 Nov, 14:05`. */
export const zonedText = (time: string, zone: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  }).format(Date.parse(time));
