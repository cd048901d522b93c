/** Ids of events, such as interactions. */
import { randomInt } from "node:crypto";
import { v7 } from "uuid";

/** The number of possible counters in a millisecond. The first id has one in the lower half. */
const COUNTERS = 2 ** 32;
/** The mean distance between the counters of two ids in one millisecond. */
const MEAN_STEP = 2 ** 22;

const RESOLUTION = 2 ** 47;

/** A random distance. Small ones are the most likely, and none is too large to be that of two consecutive ids. */
const randomStep = (): number =>
  1 + Math.floor(-MEAN_STEP * Math.log(1 - randomInt(RESOLUTION) / RESOLUTION));

const latest = { msecs: 0, counter: 0 };

/**
 * Makes an id: a UUID v7, which sorts after all earlier ones of this process. Its counter advances by random steps. With a
 * constant step, a gap between two ids would show that there is an interaction that the reader may not see. With random
 * ones, a gap proves nothing. But gaps are twice as large on average where one id is missing, so many gaps of events in
 * one millisecond let a reader estimate how many are missing (decision 55).
 */
export const newEventId = (): string => {
  const now = Date.now();
  const counter = latest.counter + randomStep();
  const isNew = now > latest.msecs;
  if (isNew || counter >= COUNTERS) {
    latest.msecs = isNew ? now : latest.msecs + 1;
    latest.counter = randomInt(COUNTERS / 2);
  } else latest.counter = counter;
  return v7({ msecs: latest.msecs, seq: latest.counter });
};
