/** Continues bulk work that one run had no time to finish, through the queue. */
import { v7 } from "uuid";
import { SECOND } from "../domain/time.ts";
import type { Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import type { Services } from "../lambda/services.ts";
import { log } from "../runtime/log.ts";
import { keys } from "../store/keys.ts";

/** After this time without a further run, a continuation chain is presumed dead and another one may start. */
const CHAIN_KEPT_SECONDS = 90;

/** The attribute with the fencing token. Its name stays for earlier versions (docs/decisions/0025-versions.md). */
const stored = (fencingToken: string): { baton: string } => ({ baton: fencingToken });

const ignoreConflict = (error: unknown): void => {
  if (!(error instanceof ConditionFailed)) throw error;
};

/**
 * Ends the continuation chain, so that the next run with unfinished work can start one immediately.
 * @param fencingToken the fencing token of this run
 */
export const endContinuation = async (
  { store }: Pick<Services, "store">,
  fencingToken: string,
  timeLeft: () => number,
): Promise<void> => {
  const end: Write = { remove: keys.continuation, expect: { is: stored(fencingToken) } };
  await store.commit([end], timeLeft).catch(ignoreConflict);
};

/**
 * Queues another run of the sweep, which resumes all unfinished bulk work. A fencing token keeps one chain of runs
 * active: other runs with unfinished work, and messages that are delivered twice, start nothing. Where the queue is
 * not available, the scheduled sweep of the next minute does the work.
 * @param fencingToken the fencing token that this run got from the queue; `null` for a run that starts a chain
 */
export const startContinuation = async (
  { store, queue, clock }: Pick<Services, "store" | "queue" | "clock">,
  requestId: string,
  fencingToken: string | null,
): Promise<void> => {
  const now = Math.floor(clock() / SECOND);
  const next = v7();
  const item = { ...keys.continuation, ...stored(next), expires: now + CHAIN_KEPT_SECONDS };
  try {
    await store.db.put(
      item,
      fencingToken === null ? { absentOrExpiredBy: now } : { is: stored(fencingToken) },
    );
    await queue.send([{ message: { kind: "sweep", fencingToken: next } }]);
  } catch (error) {
    if (error instanceof ConditionFailed) return;
    log.warn("bulk work waits for the next sweep", { request_id: requestId, error });
  }
};
