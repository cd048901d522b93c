/**
 * Ids and tag codes that depend only on the step and on how many came before in it, so that two games can be compared. It
 * imports nothing, because the modules that it stands in for are imported by everything.
 */

/** `skipped`: the place of an id that only the other game gives. */
export const fixed = { now: 0, step: 0, given: 0, uuids: 0, skipped: -1 };

const hex = (number: number, digits: number): string => number.toString(16).padStart(digits, "0");

/** The id of a player or a checkpoint. */
export const nextUuid = () => {
  fixed.uuids += 1;
  return `00000000-0000-4000-8000-${hex(fixed.step, 6)}${hex(fixed.uuids, 6)}` as const;
};

/** An event id: UUID v7, sorting after all earlier ones. */
export const nextId = (): string => {
  if (fixed.given === fixed.skipped) fixed.given += 1;
  const { now, step, given } = fixed;
  fixed.given += 1;
  const time = hex(now, 12);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(step, 3)}-8${hex(given, 3)}-000000000000`;
};

/** The place of an id among those of this step; -1 for the id of an earlier one. */
export const placeOf = (id: string): number =>
  id.slice(15, 18) === hex(fixed.step, 3) ? Number.parseInt(id.slice(20, 23), 16) : -1;

/** A random number below a bound of at most 256. */
export const nextRandom = (bound: number): number => {
  const { step, given } = fixed;
  fixed.given += 1;
  const mixed = Math.imul((step << 12) ^ given ^ 0x5bd1_e995, 0x9e37_79b1);
  return (Math.imul(mixed ^ (mixed >>> 15), 0x85eb_ca6b) >>> 17) % bound;
};

/** A message that was pushed to a subscription. */
export interface Pushed {
  endpoint: string;
  text: string;
}

export const pushed: Pushed[] = [];

/** The address of a webhook of both games. */
export const WEBHOOK = "https://hooks.example/";
