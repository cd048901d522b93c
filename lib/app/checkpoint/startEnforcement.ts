/** Kills the players who missed the checkpoint, in a job; a dry run only counts them. */
import { v7 } from "uuid";
import { enforceCheckpoint, noCheckpoint } from "../../domain/checkpoint.ts";
import type { Checkpoint, Game } from "../../domain/clock.ts";
import { DomainError } from "../../domain/domainError.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Call } from "../../http/definition.ts";
import { RESERVE_MS } from "../../jobs/bulk.ts";
import { startContinuation } from "../../jobs/continuation.ts";
import { jobWrite, newLeasedJob } from "../../jobs/lease.ts";
import { type PreparedJob, startJob } from "../../jobs/startJob.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import { type CommandResponse, completeResponse, inProgress } from "../../store/idempotency.ts";
import { type EnforcementJob, enforcementBusy, readEnforcementJob, rosterBatches } from "./enforcementJob.ts";
import { clearEnforcement, type EnforcementResult, runEnforcement } from "./runEnforcement.ts";

interface KillResponse extends EnforcementResult {
  job_id: string | null;
}

type KillCall = Call<
  "administrator",
  { dry_run?: boolean | undefined; checkpoint_id?: string | undefined },
  unknown,
  KillResponse
>;

/** The checkpoint to enforce. @throws DomainError `no_checkpoint`, `checkpoint_changed` */
const requireCheckpoint = ({ checkpoint }: Game, expectedId: string | undefined): Checkpoint => {
  if (checkpoint === null) throw noCheckpoint();
  if (expectedId === undefined || expectedId === checkpoint.checkpoint_id) return checkpoint;
  throw new DomainError(
    "checkpoint_changed",
    `The checkpoint is now ${checkpoint.name}, not the one that you named.`,
  );
};

/**
 * Counts the players whom enforcing the checkpoint would kill or spare. It changes nothing.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`
 */
const preview = async (call: KillCall): Promise<KillResponse> => {
  const { audit, body, context, game, now, player: actor, services, timeLeft } = call;
  const { store } = services;
  const checkpoint = requireCheckpoint(game, body.checkpoint_id);
  const enforcement = { ...checkpoint, began_at: rfc3339(now), actor: actor.player_id };
  let killed = 0;
  let spared = 0;
  for await (const { ids } of rosterBatches(store, game)) {
    if (timeLeft() < RESERVE_MS) throw unavailable();
    const players = await mapBusyToUnavailable(store.players(ids, { consistent: false }));
    for (const player of players.values()) {
      const result = enforceCheckpoint(player, game, enforcement, context);
      if (result === "spared") spared += 1;
      else if (result !== "exempt") killed += 1;
    }
  }
  audit.details = { dry_run: true, killed, spared };
  return { killed, spared, complete: true, job_id: null };
};

const newJob = (
  jobId: string,
  { player, now, context: { reason } }: Pick<KillCall, "player" | "now" | "context">,
  checkpoint: Checkpoint,
): EnforcementJob => ({
  ...newLeasedJob(jobId, now),
  checkpoint_id: checkpoint.checkpoint_id,
  applies_to: checkpoint.applies_to,
  began_at: rfc3339(now),
  actor: player.player_id,
  ...(reason === undefined ? {} : { reason }),
  killed: 0,
  spared: 0,
  after: null,
  pass_killed: 0,
  pass_spared: 0,
  clean: 0,
});

/** Prepares a new job, or finds the one that is already enforcing the checkpoint. */
const prepareJob = async (call: KillCall): Promise<PreparedJob<EnforcementJob>> => {
  const { body, services } = call;
  const { store } = services;
  const before = await mapBusyToUnavailable(store.game());
  const checkpoint = requireCheckpoint(before, body.checkpoint_id);
  if (before.enforcing !== null) return { jobId: before.enforcing, started: null, writes: [] };
  const jobId = v7();
  const job = newJob(jobId, call, checkpoint);
  const game = { before, after: { ...before, enforcing: jobId } };
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
const dryRun = (call: KillCall): Promise<CommandResponse> =>
  call.decide(async () => ({ changes: {}, response: await preview(call) }));

/**
 * Kills every living player to whom the checkpoint applies, who joined before this call, and who has not passed the
 * checkpoint. A repeated call continues an unfinished job.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`, `busy`, `in_progress`, `key_reused`
 */
export const startEnforcement = (call: KillCall): Promise<CommandResponse> =>
  call.body.dry_run === true ? dryRun(call) : enforce(call);
