/** Starts the job of a request, or finds the job or response of an earlier request with the same idempotency key. */
import type { Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { unavailable } from "../store/commit.ts";
import {
  type CommandResponse,
  type IdempotentRequest,
  reserveResponse,
  storedResponse,
} from "../store/idempotency.ts";
import type { Store } from "../store/store.ts";
import { BATCHES_RESERVE_MS } from "./bulk.ts";

/** The job of a request: a new one, or a running one that the request joins. */
export interface PreparedJob<T> {
  jobId: string;
  /** The new job, which `writes` create; `null` if the request joins the running job `jobId`. */
  started: T | null;
  writes: readonly Write[];
}

/** The job of a request, with `started` if this call has created it; or the stored response. */
export type JobStart<T> = { jobId: string; started: T | null } | { response: CommandResponse };

interface StartOptions<T> {
  store: Store;
  idempotency: IdempotentRequest | undefined;
  now: number;
  timeLeft: () => number;
  /** Prepares the job. Called for each attempt, unless an earlier request has started the job. */
  prepare: (isRetry: boolean) => Promise<PreparedJob<T>>;
}

/**
 * Creates a job and reserves the response to its request in one transaction. After a conflict, it is prepared again.
 * @throws DomainError `key_reused`, `unavailable`; errors of `prepare`
 */
export const startJob = async <T>(options: StartOptions<T>): Promise<JobStart<T>> => {
  const { store, idempotency, now, timeLeft, prepare } = options;
  for (let isRetry = false; ; isRetry = true) {
    const earlier = await storedResponse(store.db, idempotency, now);
    if (earlier?.job !== undefined) return { jobId: earlier.job, started: null };
    if (earlier !== undefined) return { response: { status: earlier.status, body: earlier.body } };
    if (isRetry && timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    const { jobId, started, writes } = await prepare(isRetry);
    try {
      await store.commit([...writes, ...reserveResponse(idempotency, now, jobId)], timeLeft);
      return { jobId, started };
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};
