/**
 * Starts a new season from the page, in a job. Its process may die at any time: the next request with the same key or the
 * next sweep continues it.
 */
import { v7 } from "uuid";
import { confirmPassword } from "../../auth/confirmPassword.ts";
import type { ClientAddress } from "../../auth/rateLimit.ts";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import { pauseClock } from "../../domain/game/clock.ts";
import { requireNoGrace } from "../../domain/game/finish.ts";
import { phaseOf } from "../../domain/game/game.ts";
import { rfc3339, SECOND } from "../../domain/time.ts";
import type { Put, StoredItem, Write } from "../../dynamodb/database.ts";
import { StoredKey } from "../../dynamodb/key.ts";
import { itemOfRaw } from "../../dynamodb/rawItem.ts";
import { BATCHES_RESERVE_MS } from "../../jobs/bulk.ts";
import { startContinuation } from "../../jobs/continuation.ts";
import { enforcementBusy } from "../../jobs/enforcementJob.ts";
import { acquireLease, jobWrite, newLeasedJob, readJob, releaseAfterError } from "../../jobs/lease.ts";
import { findUnfinishedReset, ResetJob, type ResetMark } from "../../jobs/resetJob.ts";
import { type PreparedJob, startJob } from "../../jobs/startJob.ts";
import type { JobCall, ReadCall } from "../../lambda/call.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { type CommandResponse, completeResponse, inProgress } from "../../store/idempotency.ts";
import type { LogEntry } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import { noCounts, type ResetCounts } from "../../store/seasonCounts.ts";
import type { Store } from "../../store/store.ts";
import {
  endReset,
  noPreview,
  ResetEnded,
  type ResetPreview,
  type ResetRun,
  resetItems,
  storeRecap,
  withPreviewOf,
} from "./resetPass.ts";

/** The number of items that are read at once. */
const PAGE_SIZE = 500;
/** The most that one request of a preview reads, and the time that it leaves for its response. */
const MAX_PREVIEWED = 20_000;
const PREVIEW_RESERVE_MS = 10 * SECOND;

const busy = (what: string): DomainError => new DomainError("busy", what, { retryAfter: 5 });
const resetBusy = (): DomainError =>
  busy("A new season is being made. The page of the season shows how far it is.");

/** @throws DomainError `busy` during a reset or an import */
export const requireNoReset = async ({ db }: Pick<Store, "db">): Promise<void> => {
  const [mark, importing] = await mapBusyToUnavailable(
    Promise.all([findUnfinishedReset({ db }), db.get(keys.importing)]),
  );
  if (importing !== undefined) throw busy("An import is unfinished. Finish it with npm run import first.");
  if (mark === null) return;
  throw mark.job_id === undefined
    ? busy("A reset by npm run reset is unfinished. It is continued with --resume.")
    : resetBusy();
};

export interface ResetResult extends ResetCounts {
  /** The start of the new season; `null` in a preview. */
  started_at: string | null;
  complete: boolean;
  job_id: string | null;
}

const resultOf = ({ job_id, at, done, counts }: ResetJob): ResetResult => ({
  ...{ job_id, started_at: at, complete: done },
  ...counts,
});

/** The context in which a game master's call or the sweep runs the job. */
interface JobRun extends WorkerContext {
  /** Creates the error to throw if another process holds the lease of the job. */
  leaseHeldError: () => DomainError;
  /** Returns the log entry and writes of the transaction that ends the job. Called before each attempt to commit it. */
  completion: (job: ResetJob) => { log?: LogEntry | undefined; writes?: Write[] };
}

const parseJob = (item: StoredItem): ResetJob => ResetJob.parse(item);

/**
 * Runs the job until it is done or time runs out. If time runs out, it releases the lease, so that another process can
 * continue the job at once.
 * @param started the job, if this call has just created it; `null` to take over an existing job
 * @returns the job as last written
 * @throws the error of `leaseHeldError`; DomainError `unavailable`
 */
const runJob = async (
  { services: { store, clock }, timeLeft, leaseHeldError, completion }: JobRun,
  mark: ResetMark,
  jobId: string,
  started: ResetJob | null,
): Promise<ResetJob> => {
  const lease = await acquireLease(
    { store, parse: parseJob, clock, timeLeft, leaseHeldError },
    jobId,
    started,
  );
  const run: ResetRun = {
    ...{ store, mark, clock, timeLeft, onConflict: lease.requireHeld },
    counts: () => lease.job.counts,
    record: (counts) => [lease.progressWrite({ counts, found: true })],
    recorded: (counts) => lease.progressCommitted({ counts, found: true }),
  };
  const done = { done: true };
  const end = () =>
    endReset(run, () => {
      const { log, writes = [] } = completion({ ...lease.job, ...done });
      const ends = [lease.progressWrite(done), ...writes];
      return log === undefined ? { writes: ends } : { log, writes: ends };
    });
  try {
    await storeRecap(run);
    while (timeLeft() > BATCHES_RESERVE_MS) {
      const { items, next } = await mapBusyToUnavailable(
        store.db.scan(PAGE_SIZE, lease.job.after ?? undefined),
      );
      await resetItems(run, items.map(itemOfRaw));
      if (next !== undefined) await lease.save({ after: next });
      else if (lease.job.found || !(await end())) await lease.save({ after: null, found: false });
      else {
        lease.progressCommitted(done);
        return lease.job;
      }
    }
    await lease.release();
  } catch (error) {
    // `npm run reset -- --resume` has finished it.
    if (error instanceof ResetEnded) await lease.save(done);
    else await releaseAfterError(lease, error);
  }
  return lease.job;
};

const newJob = (jobId: string, at: string, now: number, reason?: string): ResetJob => ({
  ...newLeasedJob(jobId, now),
  ...{ at, reason, counts: noCounts(), after: null, found: false },
});

type ResetCall = JobCall<ResetResult> & { clientAddress: ClientAddress };

/** Checks what the game master has entered, and that the game can be reset; then makes mark and job. */
const prepare = async (
  { services, player, clientAddress, context, now, timeLeft }: ResetCall,
  { name, password }: { name: string; password: string },
  isRetry: boolean,
): Promise<PreparedJob<ResetJob>> => {
  const { store } = services;
  await requireNoReset(store);
  const before = await mapBusyToUnavailable(store.game());
  const { settings, enforcing, shards } = before;
  if (name.trim() !== settings.name)
    throw invalidRequest({ path: "name", message: "must be the name of the game" });
  if (enforcing !== null) throw enforcementBusy();
  const phase = phaseOf(before, now);
  if (phase !== "paused" && phase !== "ended")
    throw new DomainError(
      "wrong_state",
      "Pause or end the game first, so that nothing is played that no archive has.",
    );
  requireNoGrace(before, now);
  const confirmed = await confirmPassword(
    services,
    player,
    password,
    { clientAddress, now, isRetry },
    timeLeft,
  );
  const jobId = v7();
  // A whole second, because the request's own stored response must not be older than the season.
  const at = rfc3339(Math.floor(now / SECOND) * SECOND);
  const { enrolment } = settings;
  const mark: ResetMark = {
    ...{ at, shards, enrolment, file: "", sha256: jobId, job_id: jobId, actor: player.player_id },
    season_id: before.finish?.season_id ?? jobId,
  };
  const job = newJob(jobId, at, now, context.reason);
  const put: Put = { put: { ...keys.resetting, ...mark }, expect: "absent" };
  // The game is written even if it is paused already: a finish that has been decided meanwhile is decided again.
  const game = { before, after: pauseClock(before, now) };
  return { jobId, started: job, writes: await writesOf({ game, writes: [jobWrite(job), put, confirmed] }) };
};

/**
 * Starts a new season, or continues the job of an earlier request with the same key.
 * @param entered the name of the game, and the password of the game master
 * @throws DomainError `invalid_request` for another name, `bad_credentials`, `too_many_attempts`, `wrong_state` unless the
 *   game is paused or over and its result is announced, `busy`, `in_progress`, `key_reused`, `unavailable`
 */
export const resetSeason = async (
  call: ResetCall,
  entered: { name: string; password: string },
): Promise<CommandResponse> => {
  const { audit, auditLog, idempotency, now, requestId, services, timeLeft } = call;
  const { store } = services;
  const start = await startJob({
    ...{ store, idempotency, now, timeLeft },
    prepare: (isRetry) => prepare(call, entered, isRetry),
  });
  if ("response" in start) return call.replay(start.response);
  const { jobId, started } = start;
  const mark = await mapBusyToUnavailable(findUnfinishedReset(store));
  const job = started ?? (await readJob(store, jobId, parseJob));
  if (job === null) throw inProgress();
  // Without its mark, a job is done: `npm run reset -- --resume` may have finished it.
  if (job.done || mark?.job_id !== jobId) return call.respond(resultOf({ ...job, done: true }));
  const run: JobRun = {
    ...{ services, requestId, timeLeft, leaseHeldError: inProgress },
    completion: (ended) => {
      const result = resultOf(ended);
      audit.details = { ...result };
      const writes = completeResponse(idempotency, call.respond(result), now);
      return { log: auditLog.entry("done"), writes };
    },
  };
  const last = await runJob(run, mark, jobId, started);
  const result = resultOf(last);
  audit.details = { ...result };
  if (last.done) auditLog.markWritten();
  else await startContinuation(services, requestId, null);
  return call.respond(result);
};

/**
 * Continues the job of a game master that its request could not finish.
 * @returns `false` if another run has to continue it
 */
export const resumeReset = async (run: WorkerContext, mark: ResetMark): Promise<boolean> => {
  const { services, requestId } = run;
  const { store, clock } = services;
  const { job_id: jobId, actor = null, at } = mark;
  // `npm run reset` is continued by whoever has begun it.
  if (jobId === undefined) return true;
  const context = commandContext(services, clock());
  const existing = await readJob(store, jobId, parseJob);
  // A job expires after a week; its mark does not.
  const again = existing === null ? newJob(jobId, at, context.now) : null;
  if (again !== null) await store.commit([jobWrite(again)], run.timeLeft);
  const completion = (job: ResetJob) => {
    const { reason } = job;
    const details = { ...resultOf(job), ...(reason === undefined ? {} : { reason }) };
    return { log: newLogEntry(context, requestId, { action: "reset_season", actor, details }) };
  };
  try {
    return (await runJob({ ...run, leaseHeldError: resetBusy, completion }, mark, jobId, again)).done;
  } catch (error) {
    // Another process is running it, or the database is busy; the next sweep tries again.
    if (!(error instanceof DomainError)) throw error;
    return true;
  }
};

/** The reset that is under way, with what it has done so far; `null` if there is none. */
export const resetStatus = async ({
  services: { store },
}: ReadCall): Promise<{
  reset: (ResetCounts & { job_id: string | null; started_at: string; by: string | null }) | null;
}> => {
  const mark = await mapBusyToUnavailable(findUnfinishedReset(store));
  if (mark === null) return { reset: null };
  const { job_id, actor, at: started_at } = mark;
  const [job, by] = await mapBusyToUnavailable(
    Promise.all([
      job_id === undefined ? null : readJob(store, job_id, parseJob),
      actor === undefined ? null : store.player(actor),
    ]),
  );
  const counts = job?.counts ?? noCounts();
  return { reset: { job_id: job_id ?? null, started_at, by: by?.alias ?? null, ...counts } };
};

/**
 * Counts what a reset would do with a part of the table: as much as one request has time for.
 * @param position the position after the part before
 * @returns the counts of this part, and the position after it
 */
export const previewSeason = async (
  { services: { store }, game, now, timeLeft }: ReadCall,
  position: string | undefined,
): Promise<ResetPreview & { next: string | null }> => {
  let after = position === undefined ? null : StoredKey.parse(JSON.parse(position));
  let preview = noPreview();
  let read = 0;
  do {
    const { items, next } = await mapBusyToUnavailable(store.db.scan(PAGE_SIZE, after ?? undefined));
    read += items.length;
    preview = withPreviewOf(preview, items.map(itemOfRaw), rfc3339(now), game.settings.enrolment);
    if (next === undefined) return { ...preview, next: null };
    after = next;
  } while (read < MAX_PREVIEWED && timeLeft() > PREVIEW_RESERVE_MS);
  return { ...preview, next: JSON.stringify(after) };
};
