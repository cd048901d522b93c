/** The times of the unit tests. */
import { HOUR } from "../../lib/domain/time.ts";

export { DAY, HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";

/** The feeding period of every command context, unless a test sets another. */
export const PERIOD = 48 * HOUR;

/** Now: a Saturday morning. */
export const T0 = Date.UTC(2026, 10, 21, 7, 24);

export const iso = (instant: number): string => new Date(instant).toISOString();
