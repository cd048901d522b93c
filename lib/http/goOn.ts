/** Going on: bulk work that one run's time did not suffice for is put on the queue, and taken up from there at once. */
import { SECOND } from "../domain/time.ts";
import { log, loggable } from "../log.ts";
import { Stale } from "../store/database.ts";
import { keys } from "../store/keys.ts";
import type { Services } from "./services.ts";

/** A run that goes on is taken for dead after this, in seconds: then another may begin. */
const KEPT = 90;

/** Says that nothing is left: the next who finds something begins at once. */
export const ended = async ({ store }: Pick<Services, "store">, timeLeft: () => number): Promise<void> => {
  await store.commit([{ remove: keys.goingOn }], timeLeft);
};

/**
 * Has the sweep run again at once, which takes up whatever was left. One goes on at a time: whoever else finds
 * something left leaves it to that one. Where the queue is away the next minute's sweep does.
 * @param isNext whether this is the one that goes on
 */
export const goOn = async (
  { store, queue, clock }: Pick<Services, "store" | "queue" | "clock">,
  requestId: string,
  isNext: boolean,
): Promise<void> => {
  const now = Math.floor(clock() / SECOND);
  const item = { ...keys.goingOn, expires: now + KEPT };
  try {
    await store.db.put(item, isNext ? undefined : { absentOrExpiredBy: now });
    await queue.send([{ message: { kind: "sweep" } }]);
  } catch (error) {
    if (error instanceof Stale) return;
    log().warn("bulk work waits for the next sweep", { request_id: requestId, error: loggable(error) });
  }
};
