/** The time that queue workers reserve, and how they handle a message that is delivered too early. */
import { SECOND } from "../../domain/time.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { QueueMessage } from "../../queue/messages.ts";

/** Time that a worker reserves for its work after the push. */
export const WORKER_RESERVE_MS = 8 * SECOND;

/** The longest time to wait for a message that is delivered too early. */
const MAX_WAIT_MS = SECOND;

/** Waits for at least this long; timers may fire a little early. */
const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.ceil(milliseconds) + 1);
  });

/** Waits until a message is due. @returns `false` if that takes too long and the message was queued again instead */
export const waitOrRequeue = async (
  { services: { queue, clock } }: WorkerContext,
  message: Extract<QueueMessage, { notBefore: number }>,
): Promise<boolean> => {
  const earlyBy = message.notBefore - clock();
  if (earlyBy > MAX_WAIT_MS) {
    await queue.send([{ message, delay: earlyBy }]);
    return false;
  }
  if (earlyBy > 0) await sleep(earlyBy);
  return true;
};
