/** The process's time zone while the model is played: one with daylight saving time, which the seed chooses. */
import { DAY, HOUR, MINUTE } from "../../../lib/domain/time.ts";
import { randomFrom, SEED } from "../../support/battery.ts";

/** Changes of 30 minutes and of two hours, offsets of half an hour, and both hemispheres. */
const ZONES = [
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "America/St_Johns",
  "Antarctica/Troll",
] as const;

process.env.TZ = randomFrom(SEED, 9).pick(ZONES);

/** Minutes by which local time is ahead of UTC. */
const offsetAt = (instant: number): number => 0 - new Date(instant).getTimezoneOffset();

/** The first instants after each change of the local offset between two instants. */
const changesBetween = (from: number, until: number): number[] => {
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

/** Changes of the local offset in a year long after any real time, so that nothing expires by the engine's clock. */
export const LOCAL_CHANGES: readonly number[] = changesBetween(Date.UTC(2040, 0), Date.UTC(2041, 0));

/** An instant as RFC 3339. @param offset minutes ahead of UTC; by default those of local time */
export const rfc3339At = (instant: number, offset = offsetAt(instant)): string => {
  const local = new Date(instant + offset * MINUTE).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor((Math.abs(offset) * MINUTE) / HOUR), Math.abs(offset) % 60];
  const pad = (number: number): string => String(number).padStart(2, "0");
  return `${local}${offset < 0 ? "-" : "+"}${pad(hours)}:${pad(minutes)}`;
};
