/** Continues bulk work that a sweep had no time to finish, by a message in the queue. */
import { v7 } from "uuid";
import { SECOND } from "../domain/time.ts";
import type { Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import type { Services } from "../lambda/services.ts";
import { log } from "../runtime/log.ts";
import { keys } from "../store/keys.ts";

/** After this time without a further sweep, a chain of continuations is presumed dead and another one may start. */
const CHAIN_TTL_SECONDS = 90;

/** The attribute with the fencing token. It is called `baton` because earlier versions read that name (decision 25). */
const tokenAttribute = (fencingToken: string): { baton: string } => ({ baton: fencingToken });

/** Ignores a conflict: another chain has started. */
const ignoreConflict = (error: unknown): void => {
  if (!(error instanceof ConditionFailed)) throw error;
};

/**
 * Ends the chain of continuations, so that the next sweep with unfinished work can start one immediately.
 * @param fencingToken the fencing token of this sweep
 */
export const endContinuation = async (
  { store }: Pick<Services, "store">,
  fencingToken: string,
  timeLeft: () => number,
): Promise<void> => {
  const end: Write = { remove: keys.continuation, expect: { is: tokenAttribute(fencingToken) } };
  await store.commit([end], timeLeft).catch(ignoreConflict);
};

/**
 * Queues another sweep, which resumes all unfinished bulk work. A fencing token keeps only one chain of continuations
 * active: other sweeps with unfinished work, and messages that are delivered twice, queue nothing. If the queue is not
 * available, the scheduled sweep of the next minute does the work.
 * @param fencingToken the fencing token that this sweep got from the queue; `null` for a sweep that starts a chain
 */
export const startContinuation = async (
  { store, queue, clock }: Pick<Services, "store" | "queue" | "clock">,
  requestId: string,
  fencingToken: string | null,
): Promise<void> => {
  const now = Math.floor(clock() / SECOND);
  const next = v7();
  const item = { ...keys.continuation, ...tokenAttribute(next), expires: now + CHAIN_TTL_SECONDS };
  try {
    await store.db.put(
      item,
      fencingToken === null ? { absentOrExpiredBy: now } : { is: tokenAttribute(fencingToken) },
    );
    await queue.send([{ message: { kind: "sweep", fencingToken: next } }]);
  } catch (error) {
    if (error instanceof ConditionFailed) return;
    log.warn("bulk work waits for the next sweep", { request_id: requestId, error });
  }
};
