/** Instants: milliseconds since 1970 in code, RFC 3339 in UTC with milliseconds in items and responses. */

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The time of the request by the service's clock, in a field that takes it. The clock of a page may be wrong. */
export const NOW = "now";

/** An instant as RFC 3339 in UTC with milliseconds, such as `2026-11-21T07:24:00.000Z`. */
export const rfc3339 = (instant: number): string => new Date(instant).toISOString();

/** Like {@link rfc3339}, and `null` for `null`. */
export const nullableRfc3339 = (instant: number | null): string | null =>
  instant === null ? null : rfc3339(instant);

/** The instant, in milliseconds since 1970, of a valid RFC 3339 text. */
export const instantOf = (text: string): number => Date.parse(text);

/** A time in a request is at most this many years before or after the request. */
const NEAR_YEARS = 10;

const yearsFrom = (now: number, years: number): number => {
  const date = new Date(now);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
};

/** Whether an instant is within ten years of another. */
export const isNear = (instant: number, now: number): boolean =>
  instant >= yearsFrom(now, -NEAR_YEARS) && instant <= yearsFrom(now, NEAR_YEARS);

/** The later of two times in {@link rfc3339} form, which sort as text; `null` is before any. */
export const laterOf = (one: string | null, other: string): string =>
  one !== null && one > other ? one : other;
