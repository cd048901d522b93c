/**
 * Jobs: work upon many players that outlives the process that began it. A job is an item with a lease: who holds
 * it writes its progress together with each batch, and who finds the lease run out takes the work up.
 */
import * as z from "zod/mini";
import type { DomainError } from "../domain/domainError.ts";
import { SECOND } from "../domain/time.ts";
import type { Put, StoredItem, Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";

/** A worker that has not come further for so long is taken for dead; milliseconds. */
export const LEASE_MS = 30 * SECOND;
/** Jobs are kept for a week; in seconds. */
const JOB_KEPT = 7 * 24 * 60 * 60;

/** What every job has. */
export const LeasedJob = z.looseObject({
  job_id: z.string(),
  rev: z.int(),
  /** Milliseconds since 1970; nobody holds it from then on. */
  lease_until: z.number(),
  done: z.boolean(),
  /** Seconds since 1970. */
  expires: z.number(),
});
export type LeasedJob = z.infer<typeof LeasedJob>;

/** A job that begins now; whoever writes it holds its lease. */
export const newLeasedJob = (jobId: string, now: number): LeasedJob => ({
  job_id: jobId,
  rev: 1,
  lease_until: now + LEASE_MS,
  done: false,
  expires: Math.floor(now / 1000) + JOB_KEPT,
});

/** The write that begins a job. */
export const jobWrite = (job: LeasedJob): Put => ({
  put: { ...job, ...keys.job(job.job_id) },
  expect: "absent",
});

/** What a step changes: of this job, or of what every job has. */
type Change<T> = Partial<T> | Partial<LeasedJob>;

/** A job as its one worker holds it. */
export interface Lease<T> {
  /** As it stands. */
  readonly job: T;
  /** The write of a further step, the lease renewed; to be committed with what it stands for. */
  progressWrite: (change: Change<T>) => Write;
  /** Says that a step has been committed. */
  progressCommitted: (change: Change<T>) => void;
  /** Passes while nobody else has taken the job up. @throws DomainError as given */
  requireHeld: () => Promise<void>;
  /** Commits a step with other writes. @throws DomainError as given, when the job has been taken up */
  save: (change: Change<T>, beside?: readonly Write[]) => Promise<void>;
  /** Lets go of an unfinished job, so that it can be taken up at once. */
  release: () => Promise<void>;
}

interface Holding<T> {
  store: Store;
  parse: (item: StoredItem) => T;
  clock: () => number;
  timeLeft: () => number;
  /** What is said while somebody else holds the job. */
  heldError: () => DomainError;
  /** The job as it was just written, where that is known. */
  written?: T | undefined;
}

/**
 * Holds a job.
 * @param begun whether this call has just begun it; it is taken up otherwise
 * @throws DomainError `taken` while somebody else holds it, or when it is done
 */
export const acquireLease = async <T extends LeasedJob>(
  { store, parse, clock, timeLeft, heldError: taken, written }: Holding<T>,
  jobId: string,
  begun: boolean,
): Promise<Lease<T>> => {
  const read = async (): Promise<T> => {
    const item = await mapBusyToUnavailable(store.db.get(keys.job(jobId)));
    if (item === undefined) throw new Error("a job is missing from the table");
    return parse(item);
  };
  let job = written ?? (await read());
  const renewed = (change: Change<T>): T => ({
    ...job,
    lease_until: clock() + LEASE_MS,
    ...change,
    rev: job.rev + 1,
  });
  const held: Lease<T> = {
    get job() {
      return job;
    },
    progressWrite: (change) => ({
      put: { ...renewed(change), ...keys.job(jobId) },
      expect: { rev: job.rev },
    }),
    progressCommitted: (change) => {
      job = renewed(change);
    },
    requireHeld: async () => {
      if ((await read()).rev !== job.rev) throw taken();
    },
    save: async (change, beside = []) => {
      try {
        await store.commit([held.progressWrite(change), ...beside], timeLeft);
      } catch (error) {
        throw error instanceof ConditionFailed ? taken() : error;
      }
      held.progressCommitted(change);
    },
    release: () => held.save({ lease_until: 0 }),
  };
  if (!begun) {
    if (job.done || job.lease_until > clock()) throw taken();
    await held.save({});
  }
  return held;
};
