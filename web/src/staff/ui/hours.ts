/** Hours in fields, for durations that the service counts in seconds. */
export const HOUR_SECONDS = 3_600;

/** The longest feeding: a year of 366 days, as `MAX_FEEDING_SECONDS` of the service. */
export const MAX_HOURS = 8_784;
