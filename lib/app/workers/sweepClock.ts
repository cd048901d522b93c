/** The stored clock of the sweeps: when the last one ran, and whether sweeps are held. */
import {
  describeHold,
  describeHoldOptions,
  isGap,
  isHeld,
  recordHeldSweep,
  recordSweep,
  SweepClock,
} from "../../domain/starvation/sweepClock.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Put } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";

/** The stored clock; `null` before the first sweep. @throws DomainError `unavailable` */
export const readSweepClock = async ({ db }: Pick<Store, "db">): Promise<SweepClock | null> => {
  const item = await mapBusyToUnavailable(db.get(keys.sweepClock));
  return item === undefined ? null : SweepClock.parse(item);
};

/** The write of the clock, on condition that no other sweep has changed it since it was read. */
export const sweepClockWrite = (before: SweepClock | null, after: SweepClock): Put => ({
  put: { ...after, ...keys.sweepClock },
  expect: before === null ? "absent" : { is: { at: before.at } },
});

const save = async (
  { db }: Pick<Store, "db">,
  before: SweepClock | null,
  after: SweepClock,
): Promise<void> => {
  const { put, expect } = sweepClockWrite(before, after);
  try {
    await mapBusyToUnavailable(db.put(put, expect));
  } catch (error) {
    // Another sweep or a game master's decision was written first.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};

/**
 * Decides whether a sweep is held because of a gap since the last one, and stores the result.
 * @param known the clock as just read
 * @param countDue counts the starvations that the sweep would record; called only after a gap
 * @returns whether the sweep is held
 * @throws DomainError `unavailable`
 */
export const checkSweepClock = async (
  { services: { store }, requestId: request_id }: WorkerContext,
  known: SweepClock | null,
  now: number,
  countDue: () => Promise<number>,
): Promise<boolean> => {
  if (known !== null && isGap(known, now)) {
    const due = await countDue();
    if (due > 0) {
      const held = recordHeldSweep(known, now, due);
      await save(store, known, held);
      const more = "For a deployment add --stage STAGE.";
      log.error(`${describeHold(held)} ${describeHoldOptions()} ${more}`, { request_id, name: "sweep" });
      await recordMetrics({ SweepHeld: 1 });
      return true;
    }
    log.warn("no sweep ran for a while, and nobody starved meanwhile: if the clock is wrong, correct it", {
      request_id,
      name: "sweep",
      last_sweep: rfc3339(known.at),
      now: rfc3339(now),
    });
  }
  if (isHeld(known)) log.info("sweeps are no longer held", { request_id, name: "sweep" });
  await save(store, known, recordSweep(known, now));
  return false;
};
