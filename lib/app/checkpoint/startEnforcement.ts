/** Kills the players who missed the checkpoint, in a job; a dry run only counts them. */
import { v7 } from "uuid";
import * as z from "zod/mini";
import {
  type Enforcement,
  enforceCheckpoint,
  noCheckpoint,
  requireCurrent,
} from "../../domain/checkpoint.ts";
import type { Checkpoint, Game } from "../../domain/clock.ts";
import { type Player, type State, stateOf } from "../../domain/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import { makeCursor, readCursor } from "../../http/cursors.ts";
import type { Call } from "../../http/definition.ts";
import { Cursor } from "../../http/fields.ts";
import { RESERVE_MS } from "../../jobs/bulk.ts";
import { startContinuation } from "../../jobs/continuation.ts";
import { jobWrite, newLeasedJob } from "../../jobs/lease.ts";
import { type PreparedJob, startJob } from "../../jobs/startJob.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import { type CommandResponse, completeResponse, inProgress } from "../../store/idempotency.ts";
import { compareBytes } from "../../store/lists.ts";
import { readPlayers } from "../accounts/listPlayers.ts";
import { type EnforcementJob, enforcementBusy, readEnforcementJob } from "./enforcementJob.ts";
import { clearEnforcement, type EnforcementResult, runEnforcement } from "./runEnforcement.ts";

const MAX_PAGE = 500;

/** What to enforce; of a dry run also which page of the players to name. */
export const EnforcementRequest = z
  .strictObject({
    dry_run: z.optional(z.boolean()),
    checkpoint_id: z.optional(z.guid("must be the id of a checkpoint, a UUID")),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_PAGE))),
    cursor: Cursor,
  })
  .check(
    z.refine(({ dry_run, limit, cursor }) => dry_run === true || (limit ?? cursor) === undefined, {
      error: "must be true with limit or cursor, which choose a page of the dry run",
      path: ["dry_run"],
    }),
  );

interface KillResponse extends EnforcementResult {
  job_id: string | null;
  players?: { alias: string; state: State }[] | undefined;
  next_cursor?: string | null | undefined;
}

type KillCall = Call<"administrator", z.infer<typeof EnforcementRequest>, unknown, KillResponse>;

/** The checkpoint to enforce. @throws DomainError `no_checkpoint`, `checkpoint_changed` */
const requireCheckpoint = ({ checkpoint }: Game, expectedId: string | undefined): Checkpoint => {
  if (checkpoint === null) throw noCheckpoint();
  return requireCurrent(checkpoint, expectedId);
};

/** A checkpoint that was enforced before concerns nobody who has come to life since. */
const enforcementOf = (checkpoint: Checkpoint, game: Game, actor: string, now: number): Enforcement => ({
  checkpoint_id: checkpoint.checkpoint_id,
  applies_to: checkpoint.applies_to,
  outcome: game.settings.checkpoint_outcome,
  began_at: checkpoint.enforced_at ?? rfc3339(now),
  actor,
});

/**
 * Counts the players whom enforcing the checkpoint would kill or spare, and names a page of those it would kill. It
 * changes nothing.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`, `invalid_request` for a bad cursor
 */
const preview = async (call: KillCall): Promise<{ response: KillResponse; names: Map<string, string> }> => {
  const { audit, body, context, game, now, player: actor, services, timeLeft } = call;
  const { store } = services;
  const { limit = 100, cursor } = body;
  const checkpoint = requireCheckpoint(game, body.checkpoint_id);
  const enforcement = enforcementOf(checkpoint, game, actor.player_id, now);
  const place = { list: "checkpoint", filters: { checkpoint_id: checkpoint.checkpoint_id } };
  const after = (await readCursor(services, place, cursor)) ?? "";
  const listed: { position: string; player: Player }[] = [];
  let killed = 0;
  let spared = 0;
  for await (const entry of readPlayers(store, store.rosterEntries(game, 500), 100)) {
    if (timeLeft() < RESERVE_MS) throw unavailable();
    const result = enforceCheckpoint(entry.player, game, enforcement, context);
    if (result === "spared") spared += 1;
    if (typeof result === "string") continue;
    killed += 1;
    if (listed.length <= limit && compareBytes(entry.position, after) > 0) listed.push(entry);
  }
  audit.details = { dry_run: true, killed, spared };
  const page = listed.slice(0, limit);
  const last = listed.length > limit ? (page.at(-1)?.position ?? null) : null;
  const players = page.map(({ player }) => ({ alias: player.alias, state: stateOf(player, game, now) }));
  const next_cursor = await makeCursor(services, place, last);
  return {
    response: { killed, spared, complete: true, job_id: null, players, next_cursor },
    names: new Map(page.map(({ player }) => [player.player_id, player.alias])),
  };
};

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
const prepareJob = async ({
  body,
  now,
  player,
  services: { store },
}: KillCall): Promise<PreparedJob<EnforcementJob>> => {
  const before = await mapBusyToUnavailable(store.game());
  const checkpoint = requireCheckpoint(before, body.checkpoint_id);
  if (before.enforcing !== null) return { jobId: before.enforcing, started: null, writes: [] };
  const jobId = v7();
  const enforcement = enforcementOf(checkpoint, before, player.player_id, now);
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
const dryRun = (call: KillCall): Promise<CommandResponse> =>
  call.decide(async () => ({ changes: {}, ...(await mapBusyToUnavailable(preview(call))) }));

/**
 * Kills every living player to whom the checkpoint applies, who has lived since before its first enforcement, and who
 * has not passed the checkpoint. A repeated call continues an unfinished job.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`, `busy`, `in_progress`, `key_reused`
 */
export const startEnforcement = (call: KillCall): Promise<CommandResponse> =>
  call.body.dry_run === true ? dryRun(call) : enforce(call);
