/**
 * Runs the job that enforces a checkpoint or undoes an enforcement. It scans the roster until two consecutive passes
 * change nobody. One pass can miss a player: the index is eventually consistent, and a changed alias moves the player
 * in it. If the process stops, the next request for the same job or the next sweep continues it.
 */
import type { DomainError } from "../../domain/domainError.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { EnforcementJob, isUndo } from "../../jobs/enforcementJob.ts";
import { acquireLease, type Lease, releaseAfterError } from "../../jobs/lease.ts";
import { type Changes, writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import type { LogEntry } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";
import { type PassContext, runPass } from "./enforcementPass.ts";

export interface EnforcementResult {
  /** Players who were killed or became zombies; in an undo, players who were restored. */
  killed: number;
  /** Players who had passed the checkpoint; in an undo, those who have changed since. Final only if `complete`. */
  spared: number;
  complete: boolean;
}

/** The details of a job for the audit log. */
export const resultDetails = (job: EnforcementJob, { killed, spared, complete }: EnforcementResult) => ({
  job_id: job.job_id,
  checkpoint_id: job.checkpoint_id,
  ...(isUndo(job) ? { restored: killed, changed: spared } : { killed, spared }),
  complete,
});

/** The context in which a game master's call or the sweep runs the job. */
export interface EnforcementRun extends PassContext {
  /** Creates the error to throw if another process holds the lease of the job. */
  leaseHeldError: () => DomainError;
  /** Returns the log entry and writes of the transaction that ends the job. Called before each attempt to commit it. */
  completionWrites: (
    result: EnforcementResult,
    job: EnforcementJob,
  ) => { log?: LogEntry | undefined; writes?: Write[] };
}

/** The change that unlocks the checkpoint, based on the game as read. No change if this job does not hold the lock. */
const unlockChanges = async (store: Store, jobId: string): Promise<Changes> => {
  const before = await mapBusyToUnavailable(store.game());
  if (before.enforcing !== jobId) return { basedOn: before };
  return { basedOn: before, game: { before, after: { ...before, enforcing: null } } };
};

/** The job is done after this many consecutive passes that changed nobody; `clean` counts them. */
const REQUIRED_CLEAN_PASSES = 2;

/** The result of an unfinished job. Each pass counts the spared players again, so those of the latest are used. */
const partialResult = ({ killed, pass_spared }: EnforcementJob): EnforcementResult => ({
  killed,
  spared: pass_spared,
  complete: false,
});

const runPasses = async (run: EnforcementRun, lease: Lease<EnforcementJob>): Promise<EnforcementResult> => {
  while (lease.job.clean < REQUIRED_CLEAN_PASSES) {
    const isPassComplete = await runPass(run, lease);
    if (!isPassComplete) return partialResult(lease.job);
    const { pass_killed, pass_spared, clean } = lease.job;
    await lease.save({
      clean: pass_killed === 0 ? clean + 1 : 0,
      spared: pass_spared,
      // The next pass starts at the beginning of the roster.
      after: null,
      pass_killed: 0,
      pass_spared: 0,
    });
  }
  return { killed: lease.job.killed, spared: lease.job.spared, complete: true };
};

/** Commits the end of a job: its counts, the unlocked checkpoint, the log entry and the stored response. */
const commitCompletion = async (
  { services: { store }, timeLeft, completionWrites }: EnforcementRun,
  lease: Lease<EnforcementJob>,
  result: EnforcementResult,
): Promise<void> => {
  for (;;) {
    const { log, writes = [] } = completionWrites(result, lease.job);
    const unlock = await unlockChanges(store, lease.job.job_id);
    const endWrites = await writesOf({ ...unlock, writes, ...(log === undefined ? {} : { log }) });
    try {
      const end = lease.progressWrite({ done: true, spared: result.spared });
      return await store.commit([end, ...endWrites], timeLeft);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      // The game item has changed, or another process has taken the job over.
      await lease.requireHeld();
    }
  }
};

/**
 * Runs a job until it is done or time runs out. If time runs out, it releases the lease, so that another process can
 * continue the job at once.
 * @param started the job, if this call has just created it; `null` to take over an existing job
 * @throws the error of `leaseHeldError`; DomainError `unavailable`
 */
export const runEnforcement = async (
  run: EnforcementRun,
  jobId: string,
  started: EnforcementJob | null,
): Promise<{ result: EnforcementResult; job: EnforcementJob }> => {
  const { services, timeLeft, leaseHeldError } = run;
  const { store, clock } = services;
  const parse = (item: StoredItem) => EnforcementJob.parse(item);
  const lease = await acquireLease({ store, parse, clock, timeLeft, leaseHeldError }, jobId, started);
  const result = await runPasses(run, lease).catch(async (error: unknown) => {
    // Throws all errors again except `unavailable`.
    await releaseAfterError(lease, error);
    return partialResult(lease.job);
  });
  if (result.complete) await commitCompletion(run, lease, result);
  return { result, job: lease.job };
};

/** Unlocks a checkpoint whose job has expired. */
export const unlockCheckpoint = async (
  store: Store,
  jobId: string,
  timeLeft: () => number,
): Promise<void> => {
  try {
    await store.commit(await writesOf(await unlockChanges(store, jobId)), timeLeft);
  } catch (error) {
    // The game item has changed; the next request or sweep tries again.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};
