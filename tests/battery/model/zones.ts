/** The process's time zone while the model is played: one with daylight saving time, which the seed chooses. */
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
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

/** All instants at which the local offset could change in a year long after any real time. */
const QUARTERS = Array.from({ length: 365 * 24 * 4 }, (_, n) => Date.UTC(2040, 0) + n * 15 * MINUTE);

/** When the local offset changes. In that year nothing expires by the engine's clock. */
export const LOCAL_CHANGES = QUARTERS.filter((at) => offsetAt(at) !== offsetAt(at - 1));

/** An instant as RFC 3339. @param offset minutes ahead of UTC; by default those of local time */
export const rfc3339At = (instant: number, offset = offsetAt(instant)): string => {
  const local = new Date(instant + offset * MINUTE).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor((Math.abs(offset) * MINUTE) / HOUR), Math.abs(offset) % 60];
  const pad = (number: number): string => String(number).padStart(2, "0");
  return `${local}${offset < 0 ? "-" : "+"}${pad(hours)}:${pad(minutes)}`;
};
