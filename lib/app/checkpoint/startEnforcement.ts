/** Killing all who missed the checkpoint: the preview, and the job that fixes its checkpoint and its beginning. */
import { v7 } from "uuid";
import { type Enforcement, enforceCheckpoint, noCheckpoint } from "../../domain/checkpoint.ts";
import type { Checkpoint, Game } from "../../domain/clock.ts";
import { DomainError } from "../../domain/domainError.ts";
import { rfc3339 } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { Call } from "../../http/definition.ts";
import { RESERVE_MS } from "../../jobs/bulk.ts";
import { startContinuation } from "../../jobs/continuation.ts";
import { jobWrite, newLeasedJob } from "../../jobs/lease.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import {
  type CommandResponse,
  completeResponse,
  inProgress,
  reserveResponse,
  storedResponse,
} from "../../store/idempotency.ts";
import type { StoredResponse } from "../../store/items.ts";
import {
  clearEnforcement,
  type EnforcementJob,
  enforcementBusy,
  readEnforcementJob,
  rosterBatches,
  runEnforcement,
} from "./enforcementJob.ts";

interface KillResponse {
  killed: number;
  spared: number;
  complete: boolean;
  job_id: string | null;
}

type KillCall = Call<
  "administrator",
  { dry_run?: boolean | undefined; checkpoint_id?: string | undefined },
  unknown,
  KillResponse
>;

/** What would come of it, without doing it. */
const preview = async (call: KillCall, enforcement: Enforcement): Promise<KillResponse> => {
  const { game, context: moment, services } = call;
  let killed = 0;
  let spared = 0;
  for await (const { ids } of rosterBatches(services.store)) {
    if (call.timeLeft() < RESERVE_MS) throw unavailable();
    for (const player of (
      await mapBusyToUnavailable(services.store.players(ids, { consistent: false }))
    ).values()) {
      const verdict = enforceCheckpoint(player, game, enforcement, moment);
      if (verdict === "spared") spared += 1;
      else if (verdict !== "unconcerned") killed += 1;
    }
  }
  call.audit.details = { dry_run: true, killed, spared };
  return { killed, spared, complete: true, job_id: null };
};

/** The checkpoint to be enforced. @throws DomainError `no_checkpoint`, `checkpoint_changed` */
const wantedCheckpoint = ({ checkpoint }: Game, wanted: string | undefined): Checkpoint => {
  if (checkpoint === null) throw noCheckpoint();
  if (wanted === undefined || wanted === checkpoint.checkpoint_id) return checkpoint;
  throw new DomainError(
    "checkpoint_changed",
    `The checkpoint is ${checkpoint.name} now, another than you named.`,
  );
};

/**
 * Works the job to its end, or as far as time allows.
 * @param ended what is done instead when the job has ended before; its result is told unless given
 */
const work = async (
  call: KillCall,
  jobId: string,
  begun: boolean,
  ended?: () => Promise<CommandResponse>,
): Promise<CommandResponse> => {
  const { auditLog: log, context: moment, now, audit: note, idempotency: once, services, timeLeft } = call;
  const { store } = services;
  const job = begun ? null : await readEnforcementJob(store, jobId);
  if (job?.done === true) {
    if (ended !== undefined) return ended();
    return call.respond({ killed: job.killed, spared: job.spared, complete: true, job_id: jobId });
  }
  if (!begun && job === null) {
    await clearEnforcement(store, jobId, timeLeft);
    throw enforcementBusy();
  }
  const taken = once === undefined ? enforcementBusy : inProgress;
  const answerTo = (result: Omit<KillResponse, "job_id">) => call.respond({ ...result, job_id: jobId });
  const result = await runEnforcement(
    {
      services,
      moment,
      timeLeft,
      heldError: taken,
      onComplete: (end, { checkpoint_id }) => {
        note.details = { job_id: jobId, checkpoint_id, ...end };
        return { log: log.entry("done"), writes: completeResponse(once, answerTo(end), now) };
      },
    },
    jobId,
    begun,
  );
  if (result.complete) log.markWritten();
  else {
    note.details = { job_id: jobId, ...result };
    await startContinuation(services, call.requestId, null);
  }
  return { ...answerTo(result), status: result.complete ? 200 : 202 };
};

/** Begins a job, or takes up the one that is at work: which, and whether it was begun now; or what the same request came to. */
const begin = async (
  call: KillCall,
): Promise<{ jobId: string; begun: boolean } | { earlier: StoredResponse }> => {
  const { body, now, idempotency: once, player, services, timeLeft } = call;
  const { store } = services;
  for (;;) {
    const before = await mapBusyToUnavailable(store.game());
    const { enforcing } = before;
    const checkpoint = wantedCheckpoint(before, body.checkpoint_id);
    const jobId = enforcing ?? v7();
    const promise = reserveResponse(once, now, jobId);
    const job: EnforcementJob = {
      ...newLeasedJob(jobId, now),
      checkpoint_id: checkpoint.checkpoint_id,
      applies_to: checkpoint.applies_to,
      began_at: rfc3339(now),
      actor: player.player_id,
      killed: 0,
      spared: 0,
      after: null,
      pass_killed: 0,
      pass_spared: 0,
      clean: 0,
    };
    const game = { before, after: { ...before, enforcing: jobId } };
    const writes =
      enforcing === null ? await writesOf({ game, writes: [jobWrite(job), ...promise] }, 1) : promise;
    try {
      await store.commit(writes, timeLeft);
      return { jobId, begun: enforcing === null };
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const earlier = await storedResponse(store.db, once, now);
      if (earlier !== undefined) return { earlier };
      if (timeLeft() < RESERVE_MS) throw unavailable();
    }
  }
};

/** The answer of the same request before, or of the job that was to find it. */
const repeat = async (call: KillCall, { status, body, job }: StoredResponse): Promise<CommandResponse> =>
  job === undefined ? { status, body } : work(call, job, false);

/**
 * Kills every living player whom the checkpoint concerns, who had joined when this began and has not passed.
 * Called again, it takes up what was left of an earlier call.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`, `busy`, `in_progress`, `key_reused`
 */
export const startEnforcement = async (call: KillCall): Promise<CommandResponse> => {
  const { body, game, now, idempotency: once, player, services } = call;
  const earlier = await storedResponse(services.store.db, once, now);
  if (earlier !== undefined) return repeat(call, earlier);
  if (body.dry_run !== true) {
    const begun = await begin(call);
    if ("earlier" in begun) return repeat(call, begun.earlier);
    // Another's job that has just ended may have passed over somebody who lived only later, and before this call.
    const isOthers = !begun.begun && once === undefined;
    return work(call, begun.jobId, begun.begun, isOthers ? () => startEnforcement(call) : undefined);
  }
  const checkpoint = wantedCheckpoint(game, body.checkpoint_id);
  const enforcement = { ...checkpoint, began_at: rfc3339(now), actor: player.player_id };
  // It changes nothing, but its answer is kept for a retry like any other.
  return call.decide(async () => ({ changes: {}, response: await preview(call, enforcement) }));
};
