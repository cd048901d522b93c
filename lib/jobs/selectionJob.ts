/** A resumable job on players who were selected at its start: their ids and the results of each batch are stored. */
import { v7 } from "uuid";
import * as z from "zod/mini";
import { DomainError } from "../domain/domainError.ts";
import type { Game } from "../domain/game/game.ts";
import { SECOND } from "../domain/time.ts";
import type { StoredItem, Write } from "../dynamodb/database.ts";
import type { JobCall } from "../lambda/call.ts";
import type { WorkerContext } from "../lambda/scheduled.ts";
import { commandContext } from "../lambda/services.ts";
import { chunk } from "../runtime/chunk.ts";
import { log } from "../runtime/log.ts";
import { writesOf } from "../store/changes.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import { type CommandResponse, completeResponse, inProgress } from "../store/idempotency.ts";
import { keys } from "../store/keys.ts";
import { newLogEntry } from "../store/logEntry.ts";
import type { Store } from "../store/store.ts";
import { type NamedPlayers, namedPlayers, withoutNames } from "../store/storedNames.ts";
import {
  BATCHES_RESERVE_MS,
  type Batch,
  type BulkDecision,
  MAX_PLAYERS_PER_BATCH,
  runBatch,
} from "./bulk.ts";
import {
  type JobKind,
  type JobResult,
  type JobRun,
  type JobWork,
  type Results,
  SelectionJob,
  type StartedJob,
} from "./jobKind.ts";
import {
  acquireLease,
  jobWrite,
  LEASE_MS,
  type Lease,
  newLeasedJob,
  readJob,
  releaseAfterError,
} from "./lease.ts";
import { type JobStart, startJob } from "./startJob.ts";
import { type JobOrigin, originDetails } from "./tasks.ts";

const SelectedIds = z.object({ ids: z.array(z.string()) });

/** The maximum number of ids in one item: about 200 KB. */
const IDS_PER_ITEM = 5_000;

/** The maximum number of players of a job: the items with their ids must fit into one transaction of at most 4 MB. */
export const MAX_SELECTED = 18 * IDS_PER_ITEM;

const BatchResults = z.object({ results: z.array(z.record(z.string(), z.unknown())) });

/**
 * A new job on selected players, and the writes that create it. The process that commits them holds the lease.
 * @param selection at most {@link MAX_SELECTED} players
 * @param task stored with the job for the process that takes it over
 */
export const newSelectionJob = (
  jobId: string,
  selection: Pick<StartedJob, "ids" | "candidates">,
  now: number,
  task: Record<string, unknown>,
): { started: StartedJob; writes: Write[] } => {
  const plans = chunk(selection.ids, IDS_PER_ITEM);
  const job = { ...task, ...newLeasedJob(jobId, now), next: 0, changed: 0, plans: plans.length };
  const planWrites = plans.map((ids, number): Write => {
    const plan = { ...keys.jobPlan(jobId, number), ids, expires: job.expires };
    return { put: plan, expect: "absent" };
  });
  return { started: { job, ...selection }, writes: [jobWrite(job), ...planWrites] };
};

/** The job as stored; `null` if it has expired. */
export const readSelectionJob = (store: Store, jobId: string): Promise<SelectionJob | null> =>
  readJob(store, jobId, (item) => SelectionJob.parse(item));

/** The response of a finished job, or the result so far of an unfinished one. */
type SelectionJobResult<Body> = { response: CommandResponse } | { partial: JobResult<Body> };

/**
 * The results of all completed batches, in order.
 * @param own the results of batches that this process ran, by index; these are not read from the table
 */
const readResults = async (
  { db }: Store,
  { job_id: jobId, next }: SelectionJob,
  own: ReadonlyMap<number, Results>,
): Promise<Results> => {
  const indexes = Array.from({ length: next }, (_, index) => index);
  const others = indexes.filter((index) => !own.has(index)).map((index) => keys.jobDone(jobId, index));
  const found = others.length === 0 ? [] : await mapBusyToUnavailable(db.getMany(others));
  const read = new Map(found.map((item) => [item.sk, BatchResults.parse(item).results]));
  return indexes.flatMap((index) => own.get(index) ?? read.get(keys.jobDone(jobId, index).sk) ?? []);
};

const resultsIn = (decisions: readonly BulkDecision[]): Results =>
  decisions.flatMap(({ result }) => (result === undefined ? [] : [result]));

type PlannedBatch = Pick<Batch, "ids" | "candidates">;

/**
 * Runs the remaining batches.
 * @param results gets the results of each batch, by its index
 * @returns `false` if time ran out or the database stayed busy
 */
const runRemaining = async (
  { store, timeLeft }: Pick<Batch, "store" | "timeLeft">,
  { rule, onConflict }: JobWork,
  lease: Lease<SelectionJob>,
  batches: readonly PlannedBatch[],
  results: Map<number, Results>,
): Promise<boolean> => {
  const { job_id: jobId, expires } = lease.job;
  for (const [index, planned] of batches.entries()) {
    if (index < lease.job.next) continue;
    if (timeLeft() < BATCHES_RESERVE_MS) {
      await lease.release();
      return false;
    }
    const { changed } = lease.job;
    const progress = ({ length }: readonly BulkDecision[]) => ({
      next: index + 1,
      changed: changed + length,
    });
    const batch: Batch = {
      store,
      ...planned,
      rule,
      timeLeft,
      onConflict: async () => {
        await lease.requireHeld();
        await onConflict?.();
      },
      extraChanges: (decisions) => {
        const batchResults = { ...keys.jobDone(jobId, index), results: resultsIn(decisions), expires };
        return { writes: [lease.progressWrite(progress(decisions)), { put: batchResults }] };
      },
    };
    try {
      const decisions = await runBatch(batch);
      results.set(index, resultsIn(decisions));
      lease.progressCommitted(progress(decisions));
    } catch (error) {
      await releaseAfterError(lease, error);
      return false;
    }
  }
  return true;
};

/** The batches of a job. Only the process that has just selected the players has their index entries. */
const planBatches = async (
  store: Store,
  batchSize: number,
  { job_id: jobId, plans }: SelectionJob,
  started: StartedJob | null,
): Promise<PlannedBatch[]> => {
  if (started?.candidates !== undefined) {
    return chunk(started.candidates, batchSize).map((candidates) => ({
      ids: candidates.map(({ player_id }) => player_id),
      candidates,
    }));
  }
  const readPlan = async (): Promise<string[]> => {
    const itemKeys = Array.from({ length: plans }, (_, number) => keys.jobPlan(jobId, number));
    const items = await mapBusyToUnavailable(Promise.all(itemKeys.map((key) => store.db.get(key))));
    return items.flatMap((item) => SelectedIds.parse(item).ids);
  };
  return chunk(started?.ids ?? (await readPlan()), batchSize).map((ids) => ({ ids }));
};

/**
 * Runs a job from its current state until it is done, time runs out or the database stays busy. An unfinished job can be taken
 * over at once. The transaction that ends it writes the audit log entry and the response to its request.
 * @param started the job, if this process has just created it and holds its lease; `null` to take over an existing job
 * @throws DomainError `in_progress` if another process works on it, or if it is done; `unavailable`
 */
export const runSelectionJob = async <Task extends JobOrigin, Body extends object>(
  worker: WorkerContext & { game: Game },
  kind: JobKind<Task, Body>,
  job: SelectionJob,
  started: StartedJob | null,
): Promise<SelectionJobResult<Body>> => {
  const { services, timeLeft, game, requestId } = worker;
  const { store, clock } = services;
  const [task, jobId, now] = [kind.parse(job), job.job_id, clock()];
  const context = { ...commandContext(services, now), reason: task.reason };
  const run: JobRun<Task> = { ...worker, task, context, jobId, started };
  const work = await kind.work(run);
  const parse = (item: StoredItem) => SelectionJob.parse(item);
  const options = { store, parse, clock, timeLeft, leaseHeldError: inProgress };
  const lease = await acquireLease(options, jobId, started?.job ?? null);
  const batches = await planBatches(store, work.batchSize ?? MAX_PLAYERS_PER_BATCH, lease.job, started);
  const own = new Map<number, Results>();
  const isDone = await runRemaining({ store, timeLeft }, work, lease, batches, own);
  const results = await readResults(store, lease.job, own);
  const { changed } = lease.job;
  const resultOf = async (complete: boolean): Promise<JobResult<Body>> => {
    const result = await kind.result(run, { changed, results, complete });
    return { ...result, details: { ...work.details, ...result.details } };
  };
  const finish = async () => ({ ...(await resultOf(true)), writes: await work.lastWrites?.() });
  const finished = isDone
    ? await finish().catch((error: unknown) => releaseAfterError(lease, error))
    : undefined;
  if (finished === undefined) return { partial: await resultOf(false) };
  const { body, details, aliases, writes = [] } = finished;
  const response = finalResponse(body, namedPlayers(undefined, {}, aliases));
  const logEntry = newLogEntry(context, requestId, {
    ...{ action: kind.action(task), actor: task.actor },
    details: { ...details, ...originDetails(task, requestId) },
  });
  const last = [...writes, ...completeResponse(task.once ?? undefined, response, now)];
  await lease.save({ done: true }, await writesOf({ basedOn: game, log: logEntry, writes: last }));
  return { response };
};

/** The response of a finished job, as the endpoint encodes it. Names are not stored. */
const finalResponse = (body: object, named: NamedPlayers): CommandResponse => ({
  status: 200,
  body: JSON.stringify(body),
  stored: JSON.stringify(withoutNames(body, named)),
});

/** The delay after which the lease of a dead holder has expired, in milliseconds. */
const AFTER_LEASE_MS = LEASE_MS + SECOND;

/** What a request selects for a job. */
export interface Selected<Task> {
  selection: Pick<StartedJob, "ids" | "candidates">;
  /** What is asked for, without what every request says. */
  task: Omit<Task, keyof JobOrigin>;
  /** Writes that go with the start. */
  writes?: readonly Write[];
}

/**
 * Starts a job on selected players, or finds the job or response of an earlier request with the same idempotency key.
 * @param select selects the players; not called if an earlier request has started the job
 * @throws DomainError `key_reused`, `unavailable`; errors of `select`
 */
export const startSelectionJob = <Task extends JobOrigin>(
  call: JobCall<never>,
  { what, kind }: JobKind<Task, object>,
  select: (jobId: string) => Promise<Selected<Task>>,
): Promise<JobStart<StartedJob>> => {
  const { context, idempotency, now, player, requestId, services, timeLeft } = call;
  const { store, queue } = services;
  const origin: JobOrigin = {
    ...{ actor: player.player_id, request_id: requestId, once: idempotency ?? null },
    ...(context.reason === undefined ? {} : { reason: context.reason }),
  };
  const prepare = async () => {
    const job_id = v7();
    const { selection, task, writes: further = [] } = await select(job_id);
    // If this process dies, the queue continues the job after its lease has expired.
    await queue.send([{ message: { kind, job_id }, delay: AFTER_LEASE_MS }]).catch((error: unknown) => {
      log.warn(`${what} is not resumed if it is interrupted`, { request_id: requestId, error });
    });
    const { started, writes } = newSelectionJob(job_id, selection, now, { ...task, ...origin });
    return { jobId: job_id, started, writes: [...further, ...writes] };
  };
  return startJob({ store, idempotency, now, timeLeft, prepare });
};

/**
 * Continues a job that the request which started it did not finish.
 * @throws Error on failure, so that the queue delivers the message again
 */
export const continueSelectionJob = async (
  worker: WorkerContext,
  kind: JobKind<JobOrigin, object>,
  job_id: string,
): Promise<void> => {
  const { store, queue } = worker.services;
  const message = { kind: kind.kind, job_id };
  const job = await readSelectionJob(store, job_id);
  if (job === null || job.done) return;
  try {
    const game = await store.game();
    if ("partial" in (await runSelectionJob({ ...worker, game }, kind, job, null)))
      await queue.send([{ message }]);
  } catch (error) {
    if (!(error instanceof DomainError && error.code === "in_progress")) throw error;
    // Another process is running the job. If it dies, this message continues it after the lease has expired.
    await queue.send([{ message, delay: AFTER_LEASE_MS }]);
  }
};
