/** Starts or continues the job that enforces a checkpoint or undoes an enforcement. One such job runs at a time. */
import { v7 } from "uuid";
import type { Game } from "../../domain/game/game.ts";
import type { Write } from "../../dynamodb/database.ts";
import { startContinuation } from "../../jobs/continuation.ts";
import { type EnforcementJob, enforcementBusy, readEnforcementJob } from "../../jobs/enforcementJob.ts";
import { jobWrite } from "../../jobs/lease.ts";
import { type PreparedJob, startJob } from "../../jobs/startJob.ts";
import type { JobCall } from "../../lambda/call.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { type CommandResponse, completeResponse, inProgress } from "../../store/idempotency.ts";
import { type EnforcementResult, resultDetails, runEnforcement, unlockCheckpoint } from "./runEnforcement.ts";

/** A request that runs a job. */
export interface JobCommand<R> {
  call: JobCall<R>;
  /**
   * The new job, the game with the changed checkpoint, and the writes by which it concerns players who are away.
   * @throws DomainError if there is nothing to do
   */
  newJob: (before: Game, jobId: string) => { job: EnforcementJob; after: Game; writes: Write[] };
  /** Whether a running job does the same as this request. */
  isSame: (job: EnforcementJob) => boolean;
  resultOf: (result: EnforcementResult, job: EnforcementJob) => R;
}

/** Prepares a new job, or finds the running one if it does the same. @throws DomainError `busy` if it does not */
const prepareJob = async <R>({
  call,
  newJob,
  isSame,
}: JobCommand<R>): Promise<PreparedJob<EnforcementJob>> => {
  const { store } = call.services;
  const before = await mapBusyToUnavailable(store.game());
  const { enforcing } = before;
  if (enforcing !== null) {
    const running = await readEnforcementJob(store, enforcing);
    if (running !== null && !isSame(running)) throw enforcementBusy();
    return { jobId: enforcing, started: null, writes: [] };
  }
  const jobId = v7();
  const { job, after, writes } = newJob(before, jobId);
  const game = { before, after: { ...after, enforcing: jobId } };
  return { jobId, started: job, writes: await writesOf({ game, writes: [jobWrite(job), ...writes] }) };
};

/** Runs a job until it is done or the request's time runs out. Then the queue continues it. */
const runJob = async <R>(
  { call, resultOf }: JobCommand<R>,
  jobId: string,
  started: EnforcementJob | null,
): Promise<CommandResponse> => {
  const { audit, auditLog, context, game, idempotency, now, requestId, services, timeLeft } = call;
  const { details } = audit;
  const run = {
    services,
    game,
    context,
    timeLeft,
    leaseHeldError: idempotency === undefined ? enforcementBusy : inProgress,
    completionWrites: (result: EnforcementResult, job: EnforcementJob) => {
      audit.details = { ...details, ...resultDetails(job, result) };
      const response = call.respond(resultOf(result, job));
      return { log: auditLog.entry("done"), writes: completeResponse(idempotency, response, now) };
    },
  };
  const { result, job } = await runEnforcement(run, jobId, started);
  if (result.complete) auditLog.markWritten();
  else {
    audit.details = { ...details, ...resultDetails(job, result) };
    await startContinuation(services, requestId, null);
  }
  return call.respond(resultOf(result, job));
};

/** Continues a job that another request has started. */
const joinJob = async <R>(command: JobCommand<R>, jobId: string): Promise<CommandResponse> => {
  const { idempotency, services, timeLeft } = command.call;
  const job = await readEnforcementJob(services.store, jobId);
  if (job === null) {
    await unlockCheckpoint(services.store, jobId, timeLeft);
    throw enforcementBusy();
  }
  if (!job.done) return runJob(command, jobId, null);
  // The finished job may have missed a player who was revived before this request.
  if (idempotency === undefined) return runJobCommand(command);
  const result = { killed: job.killed, spared: job.spared, complete: true };
  return command.call.respond(command.resultOf(result, job));
};

/**
 * Carries out a request. A repeated one continues an unfinished job.
 * @throws DomainError `busy`, `in_progress`, `key_reused`, and what `newJob` throws
 */
export const runJobCommand = async <R>(command: JobCommand<R>): Promise<CommandResponse> => {
  const { idempotency, now, services, timeLeft } = command.call;
  const { store } = services;
  const prepare = () => prepareJob(command);
  const start = await startJob({ store, idempotency, now, timeLeft, prepare });
  if ("response" in start) return start.response;
  const { jobId, started } = start;
  return started === null ? joinJob(command, jobId) : runJob(command, jobId, started);
};
