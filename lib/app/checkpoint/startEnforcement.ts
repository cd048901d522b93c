/** Kills the players who missed the checkpoint, in a job; a dry run only counts them. */
import { v7 } from "uuid";
import type { Enforcement } from "../../domain/checkpoint.ts";
import { startContinuation } from "../../jobs/continuation.ts";
import { jobWrite, newLeasedJob } from "../../jobs/lease.ts";
import { type PreparedJob, startJob } from "../../jobs/startJob.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { type CommandResponse, completeResponse, inProgress } from "../../store/idempotency.ts";
import { type EnforcementJob, enforcementBusy, readEnforcementJob } from "./enforcementJob.ts";
import { enforcementOf, type KillCall, requireCheckpoint } from "./enforcementRequest.ts";
import { clearEnforcement, type EnforcementResult, runEnforcement } from "./runEnforcement.ts";

const newJob = (jobId: string, now: number, enforcement: Enforcement): EnforcementJob => ({
  ...newLeasedJob(jobId, now),
  ...enforcement,
  killed: 0,
  spared: 0,
  after: null,
  pass_killed: 0,
  pass_spared: 0,
  clean: 0,
});

/** Prepares a new job, or finds the one that is already enforcing the checkpoint. */
const prepareJob = async (call: KillCall): Promise<PreparedJob<EnforcementJob>> => {
  const { body, context, now, player, services } = call;
  const { store } = services;
  const before = await mapBusyToUnavailable(store.game());
  const checkpoint = requireCheckpoint(before, body.checkpoint_id);
  if (before.enforcing !== null) return { jobId: before.enforcing, started: null, writes: [] };
  const jobId = v7();
  const { reason } = context;
  const enforcement = { ...enforcementOf(checkpoint, before, player.player_id, now), reason };
  const job = newJob(jobId, now, enforcement);
  const enforced = { ...checkpoint, enforced_at: enforcement.began_at };
  const game = { before, after: { ...before, checkpoint: enforced, enforcing: jobId } };
  return { jobId, started: job, writes: await writesOf({ game, writes: [jobWrite(job)] }) };
};

/** Runs a job within the call; 202 while it continues through the queue. */
const runJob = async (
  call: KillCall,
  jobId: string,
  started: EnforcementJob | null,
): Promise<CommandResponse> => {
  const { audit, auditLog, context, game, idempotency, now, requestId, services, timeLeft } = call;
  const responseTo = (result: EnforcementResult) => call.respond({ ...result, job_id: jobId });
  const run = {
    ...{ services, game, context, timeLeft },
    heldError: idempotency === undefined ? enforcementBusy : inProgress,
    onComplete: (result: EnforcementResult, { checkpoint_id }: EnforcementJob) => {
      audit.details = { job_id: jobId, checkpoint_id, ...result };
      return { log: auditLog.entry("done"), writes: completeResponse(idempotency, responseTo(result), now) };
    },
  };
  const result = await runEnforcement(run, jobId, started);
  if (result.complete) auditLog.markWritten();
  else {
    audit.details = { job_id: jobId, ...result };
    await startContinuation(services, requestId, null);
  }
  return { ...responseTo(result), status: result.complete ? 200 : 202 };
};

/** Continues a job that another call has started. @param onDone makes the response if the job is already done */
const joinJob = async (
  call: KillCall,
  jobId: string,
  onDone: (job: EnforcementJob) => CommandResponse | Promise<CommandResponse>,
): Promise<CommandResponse> => {
  const { store } = call.services;
  const job = await readEnforcementJob(store, jobId);
  if (job === null) {
    await clearEnforcement(store, jobId, call.timeLeft);
    throw enforcementBusy();
  }
  return job.done ? onDone(job) : runJob(call, jobId, null);
};

const enforce = async (call: KillCall): Promise<CommandResponse> => {
  const { idempotency, now, services, timeLeft } = call;
  const { store } = services;
  const start = await startJob({ store, idempotency, now, timeLeft, prepare: () => prepareJob(call) });
  if ("response" in start) return start.response;
  const { jobId, started } = start;
  if (started !== null) return runJob(call, jobId, started);
  return joinJob(call, jobId, ({ killed, spared }) =>
    idempotency === undefined
      ? // The job of the other call may have missed a player who was revived before this call.
        enforce(call)
      : call.respond({ killed, spared, complete: true, job_id: jobId }),
  );
};

/** Its response is stored for retries, like that of any command. */
const dryRun = async (call: KillCall): Promise<CommandResponse> => {
  // Imported on demand, so that an enforcement starts with less code.
  const { preview } = await import("./preview.ts");
  return call.decide(async () => ({ changes: {}, ...(await mapBusyToUnavailable(preview(call))) }));
};

/**
 * Kills every living player to whom the checkpoint applies, who has lived since before its first enforcement, and who
 * has not passed the checkpoint. A repeated call continues an unfinished job.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`, `busy`, `in_progress`, `key_reused`
 */
export const startEnforcement = (call: KillCall): Promise<CommandResponse> =>
  call.body.dry_run === true ? dryRun(call) : enforce(call);
