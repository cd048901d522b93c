/** A resumable job on players who were selected at its start: their ids and the results of each batch are stored. */
import { v7 } from "uuid";
import * as z from "zod/mini";
import { DomainError } from "../domain/domainError.ts";
import type { Game } from "../domain/game/game.ts";
import { SECOND } from "../domain/time.ts";
import type { StoredItem, Write } from "../dynamodb/database.ts";
import type { JobCall } from "../lambda/call.ts";
import type { WorkerContext } from "../lambda/scheduled.ts";
import type { Outbound } from "../queue/queue.ts";
import { chunk } from "../runtime/chunk.ts";
import { log } from "../runtime/log.ts";
import { type Changes, writesOf } from "../store/changes.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import {
  type CommandResponse,
  completeResponse,
  type IdempotentRequest,
  inProgress,
} from "../store/idempotency.ts";
import type { HungerEntry } from "../store/items.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import { type NamedPlayers, namedPlayers, withoutNames } from "../store/storedNames.ts";
import {
  BATCHES_RESERVE_MS,
  type Batch,
  type BulkDecision,
  MAX_PLAYERS_PER_BATCH,
  type PlayerRule,
  runBatch,
} from "./bulk.ts";
import {
  acquireLease,
  jobWrite,
  LEASE_MS,
  type Lease,
  LeasedJob,
  newLeasedJob,
  readJob,
  releaseAfterError,
} from "./lease.ts";
import { type JobStart, startJob } from "./startJob.ts";

const SelectionJob = z.extend(LeasedJob, {
  /** The number of completed batches, which is the index of the next one. */
  next: z.int(),
  /** The number of players to whom the rule has applied so far. */
  changed: z._default(z.int(), 0),
  /** The number of items in which the selected ids are stored. */
  plans: z._default(z.int(), 1),
});

export type SelectionJob = z.infer<typeof SelectionJob>;

const SelectedIds = z.object({ ids: z.array(z.string()) });

/** The maximum number of ids in one item: about 200 KB. */
const IDS_PER_ITEM = 5_000;

/** The maximum number of players of a job: the items with their ids must fit into one transaction of at most 4 MB. */
export const MAX_SELECTED = 18 * IDS_PER_ITEM;

const BatchResults = z.object({ results: z.array(z.record(z.string(), z.unknown())) });

/** A job that this process has just started. */
export interface StartedJob {
  job: SelectionJob;
  ids: readonly string[];
  /** The index entries of all players, if they were selected by an index. */
  candidates?: readonly HungerEntry[] | undefined;
}

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

type Results = Record<string, unknown>[];

/** The response of a finished job, or the results so far of an unfinished one. */
export type SelectionJobResult = { response: CommandResponse } | { partialResults: Results; changed: number };

interface JobWork {
  store: Store;
  rule: PlayerRule;
  /** The players per batch. It must be the same in every process that works on the job. */
  batchSize?: number;
  clock: () => number;
  timeLeft: () => number;
  /** The request that asked for the job, if it has an idempotency key. */
  once: IdempotentRequest | null;
  /** When this process has begun to work on it, in milliseconds since 1970. */
  now: number;
  /** Called after a conflict, before the players of a batch are read again. */
  onConflict?: () => Promise<void>;
  /** Makes the body of the response from the results of all batches, and the changes to commit with it. */
  finish: (results: Results, changed: number) => Promise<Finished>;
}

interface Finished {
  body: Record<string, unknown>;
  /** The aliases in the body, by player id. */
  aliases?: ReadonlyMap<string, string>;
  changes: Changes;
}

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
  { store, rule, timeLeft, onConflict }: JobWork,
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
  { store, batchSize = MAX_PLAYERS_PER_BATCH }: JobWork,
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
 * Runs a job until it is done, time runs out or the database stays busy. An unfinished job can be taken over at once.
 * @param started the job, if this process has just created it and holds its lease; `null` to take over an existing job
 * @throws DomainError `in_progress` if another process works on it, or if it is done; `unavailable`
 */
export const runSelectionJob = async (
  work: JobWork,
  jobId: string,
  started: StartedJob | null,
): Promise<SelectionJobResult> => {
  const { store, clock, timeLeft, once, now, finish } = work;
  const parse = (item: StoredItem) => SelectionJob.parse(item);
  const options = { store, parse, clock, timeLeft, leaseHeldError: inProgress };
  const lease = await acquireLease(options, jobId, started?.job ?? null);
  const own = new Map<number, Results>();
  const isDone = await runRemaining(work, lease, await planBatches(work, lease.job, started), own);
  const results = await readResults(store, lease.job, own);
  const { changed } = lease.job;
  if (!isDone) return { partialResults: results, changed };
  const finished = await finish(results, changed).catch((error: unknown) => releaseAfterError(lease, error));
  if (finished === undefined) return { partialResults: results, changed };
  const { body, aliases, changes } = finished;
  const response = finalResponse(body, namedPlayers(undefined, {}, aliases));
  const writes = [...(changes.writes ?? []), ...completeResponse(once ?? undefined, response, now)];
  await lease.save({ done: true }, await writesOf({ ...changes, writes }));
  return { response };
};

/** The response of a finished job, as the endpoint encodes it. Names are not stored. */
const finalResponse = (body: Record<string, unknown>, named: NamedPlayers): CommandResponse => ({
  status: 200,
  body: JSON.stringify(body),
  stored: JSON.stringify(withoutNames(body, named)),
});

/** The delay after which the lease of a dead holder has expired, in milliseconds. */
const AFTER_LEASE_MS = LEASE_MS + SECOND;

/** A kind of jobs on selected players. */
export interface JobKind {
  /** For the log: "a feeding job". */
  what: string;
  /** The queue message that continues a job. */
  message: (job_id: string) => Outbound["message"];
}

/**
 * Starts a job on selected players, or finds the job or response of an earlier request with the same idempotency key.
 * @param select selects the players, and makes the stored task and the writes that go with it; not called if an earlier request
 *   has started the job
 * @throws DomainError `key_reused`, `unavailable`; errors of `select`
 */
export const startSelectionJob = (
  { idempotency, now, requestId, services: { store, queue }, timeLeft }: JobCall<never>,
  { what, message }: JobKind,
  select: (jobId: string) => Promise<{
    selection: Pick<StartedJob, "ids" | "candidates">;
    task: Record<string, unknown>;
    writes?: readonly Write[];
  }>,
): Promise<JobStart<StartedJob>> => {
  const prepare = async () => {
    const jobId = v7();
    const { selection, task, writes: further = [] } = await select(jobId);
    // If this process dies, the queue continues the job after its lease has expired.
    await queue.send([{ message: message(jobId), delay: AFTER_LEASE_MS }]).catch((error: unknown) => {
      log.warn(`${what} is not resumed if it is interrupted`, { request_id: requestId, error });
    });
    const { started, writes } = newSelectionJob(jobId, selection, now, task);
    return { jobId, started, writes: [...further, ...writes] };
  };
  return startJob({ store, idempotency, now, timeLeft, prepare });
};

/**
 * Continues a job that the request which started it did not finish.
 * @throws Error on failure, so that the queue delivers the message again
 */
export const continueSelectionJob = async (
  worker: WorkerContext,
  { message }: JobKind,
  jobId: string,
  run: (context: WorkerContext & { game: Game }, job: SelectionJob) => Promise<SelectionJobResult>,
): Promise<void> => {
  const { store, queue } = worker.services;
  const job = await readSelectionJob(store, jobId);
  if (job === null || job.done) return;
  try {
    const game = await store.game();
    if ("partialResults" in (await run({ ...worker, game }, job)))
      await queue.send([{ message: message(jobId) }]);
  } catch (error) {
    if (!(error instanceof DomainError && error.code === "in_progress")) throw error;
    // Another process is running the job. If it dies, this message continues it after the lease has expired.
    await queue.send([{ message: message(jobId), delay: AFTER_LEASE_MS }]);
  }
};
