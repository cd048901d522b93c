/** Going on: bulk work that one run's time did not suffice for is put on the queue, and taken up from there at once. */
import { v7 } from "uuid";
import { SECOND } from "../domain/time.ts";
import type { Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import type { Services } from "../lambda/services.ts";
import { log } from "../runtime/log.ts";
import { keys } from "../store/keys.ts";

/** A run that goes on is taken for dead after this, in seconds: then another may begin. */
const KEPT = 90;

type Going = Pick<Services, "store">;

const unlessStale = (error: unknown): void => {
  if (!(error instanceof ConditionFailed)) throw error;
};

/** Says that nothing is left: the next who finds something begins at once. `baton` is what this run came with. */
export const endContinuation = async (
  { store }: Going,
  baton: string,
  timeLeft: () => number,
): Promise<void> => {
  const end: Write = { remove: keys.continuation, expect: { is: { baton } } };
  await store.commit([end], timeLeft).catch(unlessStale);
};

/**
 * Has the sweep run again at once, which takes up whatever was left. One goes on at a time, which the baton shows:
 * whoever else finds something left leaves it to that one, and so does one whose message came twice. Where the queue is
 * away the next minute's sweep does.
 * @param baton what this run came with from the queue; `null` for one that came otherwise
 */
export const startContinuation = async (
  { store, queue, clock }: Pick<Services, "store" | "queue" | "clock">,
  requestId: string,
  baton: string | null,
): Promise<void> => {
  const now = Math.floor(clock() / SECOND);
  const next = v7();
  const item = { ...keys.continuation, baton: next, expires: now + KEPT };
  try {
    await store.db.put(item, baton === null ? { absentOrExpiredBy: now } : { is: { baton } });
    await queue.send([{ message: { kind: "sweep", baton: next } }]);
  } catch (error) {
    if (error instanceof ConditionFailed) return;
    log.warn("bulk work waits for the next sweep", { request_id: requestId, error });
  }
};
