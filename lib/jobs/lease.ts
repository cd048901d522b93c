/**
 * Leases of jobs, which can outlive the process that started them. A job is an item with a lease: the holder writes its
 * progress together with each batch, and any process that finds an expired lease can take over the job.
 */
import * as z from "zod/mini";
import { DomainError } from "../domain/domainError.ts";
import { SECOND } from "../domain/time.ts";
import type { Put, StoredItem, Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";

/** A holder that has not renewed its lease for this long is presumed dead. */
export const LEASE_MS = 30 * SECOND;
const JOB_TTL_SECONDS = 7 * 24 * 60 * 60;

/** The fields of every job. */
export const LeasedJob = z.looseObject({
  job_id: z.string(),
  rev: z.int(),
  /** When the lease expires, in milliseconds since 1970. */
  lease_until: z.number(),
  done: z.boolean(),
  /** Seconds since 1970. */
  expires: z.number(),
});
export type LeasedJob = z.infer<typeof LeasedJob>;

/** A new job. The process that writes it holds the lease. */
export const newLeasedJob = (jobId: string, now: number): LeasedJob => ({
  job_id: jobId,
  rev: 1,
  lease_until: now + LEASE_MS,
  done: false,
  expires: Math.floor(now / 1000) + JOB_TTL_SECONDS,
});

/** The write that creates a job. */
export const jobWrite = (job: LeasedJob): Put => ({
  put: { ...job, ...keys.job(job.job_id) },
  expect: "absent",
});

/** Reads a job; `null` if it has expired. */
export const readJob = async <T>(
  store: Store,
  jobId: string,
  parse: (item: StoredItem) => T,
): Promise<T | null> => {
  const item = await mapBusyToUnavailable(store.db.get(keys.job(jobId)));
  return item === undefined ? null : parse(item);
};

/** The fields that a step of the work changes. */
type Change<T> = Partial<T> | Partial<LeasedJob>;

/** The lease of a job that this process holds. */
export interface Lease<T> {
  /** The job as last written. */
  readonly job: T;
  /** The write that saves progress and renews the lease. Commit it together with the work that it records. */
  progressWrite: (change: Change<T>) => Write;
  /** Must be called after the write of {@link progressWrite} was committed. */
  progressCommitted: (change: Change<T>) => void;
  /** Checks that no other process has taken over the job. @throws DomainError `leaseHeldError` */
  requireHeld: () => Promise<void>;
  /** Saves progress and renews the lease. @throws DomainError `leaseHeldError` if another process holds it */
  save: (change: Change<T>, extraWrites?: readonly Write[]) => Promise<void>;
  /** Gives up the lease, so that the job can be taken over immediately. */
  release: () => Promise<void>;
}

export interface LeaseOptions<T> {
  store: Store;
  parse: (item: StoredItem) => T;
  clock: () => number;
  timeLeft: () => number;
  /** Makes the error that is thrown while another process holds the job. */
  leaseHeldError: () => DomainError;
}

/**
 * Acquires the lease of a job.
 * @param started the job, if this process has just created it; `null` to take over an existing job
 * @throws DomainError `leaseHeldError` if another process holds it, or if it is done
 */
export const acquireLease = async <T extends LeasedJob>(
  { store, parse, clock, timeLeft, leaseHeldError }: LeaseOptions<T>,
  jobId: string,
  started: T | null,
): Promise<Lease<T>> => {
  const read = async (): Promise<T> => {
    const stored = await readJob(store, jobId, parse);
    if (stored === null) throw new Error("a job is missing from the table");
    return stored;
  };
  let job = started ?? (await read());
  const changed = (change: Change<T>): T => ({
    ...job,
    lease_until: clock() + LEASE_MS,
    ...change,
    rev: job.rev + 1,
  });
  const lease: Lease<T> = {
    get job() {
      return job;
    },
    progressWrite: (change) => ({
      put: { ...changed(change), ...keys.job(jobId) },
      expect: { rev: job.rev },
    }),
    progressCommitted: (change) => {
      job = changed(change);
    },
    requireHeld: async () => {
      if ((await read()).rev !== job.rev) throw leaseHeldError();
    },
    save: async (change, extraWrites = []) => {
      try {
        await store.commit([lease.progressWrite(change), ...extraWrites], timeLeft);
      } catch (error) {
        throw error instanceof ConditionFailed ? leaseHeldError() : error;
      }
      lease.progressCommitted(change);
    },
    release: () => lease.save({ lease_until: 0 }),
  };
  if (started === null) {
    if (job.done || job.lease_until > clock()) throw leaseHeldError();
    await lease.save({});
  }
  return lease;
};

/**
 * Handles an error of a job's work. After a domain error, the lease is released, so that the next process need not wait
 * until it expires. `unavailable` is not thrown again: the job can continue when the database is less busy.
 * @throws every error but `unavailable`
 */
export const releaseAfterError = async (
  lease: Pick<Lease<unknown>, "release">,
  error: unknown,
): Promise<void> => {
  // If the release fails, the lease expires.
  if (error instanceof DomainError) await lease.release().catch(() => {});
  if (!(error instanceof DomainError && error.code === "unavailable")) throw error;
};
