/** Time zones with daylight saving time, and the process's own zone set to one of them. */
import { DAY, HOUR, MINUTE } from "../../../lib/domain/time.ts";

/** Changes of 30 minutes and of two hours, offsets of half an hour, both hemispheres, and Ramadan in Morocco. */
export const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Africa/Casablanca",
  "Antarctica/Troll",
] as const;

/** Minutes by which local time is ahead of UTC in the process's zone. */
const offsetAt = (instant: number): number => 0 - new Date(instant).getTimezoneOffset();

/** Runs `work` with the process's time zone set to `zone`. */
export const inZone = async (zone: string, work: () => Promise<void>): Promise<void> => {
  const before = process.env.TZ;
  process.env.TZ = zone;
  try {
    if (new Intl.DateTimeFormat().resolvedOptions().timeZone !== zone) throw new Error(`${zone} is unknown`);
    await work();
  } finally {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  }
};

/** The first instants after each change of the local offset between two instants. */
export const changesBetween = (from: number, until: number): number[] => {
  const changes: number[] = [];
  for (let at = from; at < until; at += DAY) {
    let [early, late] = [at, at + DAY];
    if (offsetAt(early) === offsetAt(late)) continue;
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (offsetAt(middle) === offsetAt(at)) early = middle;
      else late = middle;
    }
    changes.push(late);
  }
  return changes;
};

/** An instant as RFC 3339. @param offset minutes ahead of UTC; by default those of local time */
export const rfc3339At = (instant: number, offset = offsetAt(instant)): string => {
  const local = new Date(instant + offset * MINUTE).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor((Math.abs(offset) * MINUTE) / HOUR), Math.abs(offset) % 60];
  const pad = (number: number): string => String(number).padStart(2, "0");
  return `${local}${offset < 0 ? "-" : "+"}${pad(hours)}:${pad(minutes)}`;
};
