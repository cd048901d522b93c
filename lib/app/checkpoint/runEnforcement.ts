/**
 * Runs the enforcement of a checkpoint, or undoes one. It repeats passes over the roster until they find nobody to kill, because a
 * pass can miss players: the index lags, and players change their aliases. An abandoned job is taken over by the next
 * call of a game master or by the sweep.
 */
import type { DomainError } from "../../domain/domainError.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { acquireLease, type Lease, releaseAfterError } from "../../jobs/lease.ts";
import { type Changes, writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import type { LogEntry } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";
import { EnforcementJob, isUndo } from "./enforcementJob.ts";
import { type PassContext, runPass } from "./enforcementPass.ts";

export interface EnforcementResult {
  killed: number;
  spared: number;
  /** Whether the job is done. */
  complete: boolean;
}

/** What the audit log says of a job. */
export const resultDetails = (job: EnforcementJob, { killed, spared, complete }: EnforcementResult) => ({
  ...{ job_id: job.job_id, checkpoint_id: job.checkpoint_id },
  ...(isUndo(job) ? { restored: killed, changed: spared } : { killed, spared }),
  complete,
});

/** The context in which a game master's call or the sweep runs the job. */
export interface EnforcementRun extends PassContext {
  /** The error while another process holds the job. */
  heldError: () => DomainError;
  /** The log entry and the writes for the transaction that ends the job. */
  onComplete: (
    result: EnforcementResult,
    job: EnforcementJob,
  ) => { log?: LogEntry | undefined; writes?: Write[] };
}

/** The change that allows the checkpoint to be changed again, and the game on which it is based. */
const releaseChanges = async (store: Store, jobId: string): Promise<Changes> => {
  const before = await mapBusyToUnavailable(store.game());
  if (before.enforcing !== jobId) return { seen: before };
  return { seen: before, game: { before, after: { ...before, enforcing: null } } };
};

/** A single pass can miss a player who changes their alias, so this many consecutive passes must kill nobody. */
const CLEAN_PASSES = 2;

const runPasses = async (run: EnforcementRun, lease: Lease<EnforcementJob>): Promise<EnforcementResult> => {
  while (lease.job.clean < CLEAN_PASSES) {
    const isDone = await runPass(run, lease);
    const { killed, pass_killed, pass_spared: spared, clean } = lease.job;
    if (!isDone) return { killed, spared, complete: false };
    const next = { clean: pass_killed === 0 ? clean + 1 : 0, spared };
    await lease.save({ ...next, after: null, pass_killed: 0, pass_spared: 0 });
  }
  return { killed: lease.job.killed, spared: lease.job.spared, complete: true };
};

/**
 * Runs a job until it is done or time runs out; then it can be taken over immediately.
 * @param started the job where this call has just started it; `null` to take it over
 * @throws DomainError `heldError`, `unavailable`
 */
export const runEnforcement = async (
  run: EnforcementRun,
  jobId: string,
  started: EnforcementJob | null,
): Promise<{ result: EnforcementResult; job: EnforcementJob }> => {
  const { services, timeLeft, heldError, onComplete } = run;
  const { store, clock } = services;
  const parse = (item: StoredItem) => EnforcementJob.parse(item);
  const lease = await acquireLease({ store, parse, clock, timeLeft, heldError }, jobId, started);
  const result = await runPasses(run, lease).catch(async (error: unknown) => {
    await releaseAfterError(lease, error);
    return { killed: lease.job.killed, spared: lease.job.pass_spared, complete: false };
  });
  if (!result.complete) return { result, job: lease.job };
  for (;;) {
    const { log, writes = [] } = onComplete(result, lease.job);
    const release = await releaseChanges(store, jobId);
    const endWrites = await writesOf({ ...release, writes, ...(log === undefined ? {} : { log }) });
    try {
      const end = lease.progressWrite({ done: true, spared: result.spared });
      await store.commit([end, ...endWrites], timeLeft);
      return { result, job: lease.job };
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      // The game item has changed, or another process has taken the job over.
      await lease.requireHeld();
    }
  }
};

/** Allows the checkpoint to be changed again when its job is done or has expired. */
export const clearEnforcement = async (
  store: Store,
  jobId: string,
  timeLeft: () => number,
): Promise<void> => {
  try {
    await store.commit(await writesOf(await releaseChanges(store, jobId)), timeLeft);
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
  }
};
