/** The times of the unit tests. */
export const SECOND = 1_000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** The feeding period of every command context, unless a test sets another. */
export const PERIOD = 48 * HOUR;

/** Now: a Saturday morning. */
export const T0 = Date.UTC(2026, 10, 21, 7, 24);

export const iso = (instant: number): string => new Date(instant).toISOString();
