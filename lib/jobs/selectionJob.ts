/** A job on players that were selected at its start. It is resumable: the plan and the results are stored in batches. */
import * as z from "zod/mini";
import type { StoredItem, Write } from "../dynamodb/database.ts";
import { chunk } from "../runtime/chunk.ts";
import { type Changes, writesOf } from "../store/changes.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import { type CommandResponse, inProgress } from "../store/idempotency.ts";
import type { HungerEntry } from "../store/items.ts";
import { keys } from "../store/keys.ts";
import type { Store } from "../store/store.ts";
import {
  type Batch,
  type BulkDecision,
  MAX_PLAYERS_PER_BATCH,
  type PlayerRule,
  RESERVE_MS,
  runBatch,
} from "./bulk.ts";
import {
  acquireLease,
  jobWrite,
  type Lease,
  LeasedJob,
  newLeasedJob,
  readJob,
  releaseAfterError,
} from "./lease.ts";

const SelectionJob = z.extend(LeasedJob, {
  /** The number of batches that are done. */
  next: z.int(),
});

export type SelectionJob = z.infer<typeof SelectionJob>;

const Plan = z.object({ ids: z.array(z.string()) });

const BatchResults = z.object({ results: z.array(z.record(z.string(), z.unknown())) });

/** A job that this process has just started. */
export interface StartedJob {
  job: SelectionJob;
  selection: readonly HungerEntry[];
}

/**
 * A new job on selected zombies, and the writes that create it; the process that commits them holds its lease.
 * @param task stored with the job for the process that takes it over
 */
export const newSelectionJob = (
  jobId: string,
  selection: readonly HungerEntry[],
  now: number,
  task: Record<string, unknown>,
): { started: StartedJob; writes: Write[] } => {
  const job = { ...task, ...newLeasedJob(jobId, now), next: 0 };
  const ids = selection.map(({ player_id }) => player_id);
  const plan = { ...keys.jobPlan(jobId), ids, expires: job.expires };
  return { started: { job, selection }, writes: [jobWrite(job), { put: plan, expect: "absent" }] };
};

/** The job as stored; `null` when it has expired. */
export const readSelectionJob = (store: Store, jobId: string): Promise<SelectionJob | null> =>
  readJob(store, jobId, (item) => SelectionJob.parse(item));

type Results = Record<string, unknown>[];

/** The response of a finished job, or the results so far of an unfinished one. */
export type SelectionJobResult = { response: CommandResponse } | { partialResults: Results };

interface JobWork {
  store: Store;
  rule: PlayerRule;
  clock: () => number;
  timeLeft: () => number;
  /** Makes the response from the results of all batches, and the changes to commit with it. */
  finish: (results: Results) => Promise<{ response: CommandResponse; changes: Changes }>;
}

/** The results of all finished batches, in order. @param own those of this process, which are not read */
const readResults = async (
  { db }: Store,
  { job_id: jobId, next }: SelectionJob,
  own: ReadonlyMap<number, Results>,
): Promise<Results> => {
  const pages = Array.from({ length: next }, (_, page) => page);
  const others = pages.filter((page) => !own.has(page)).map((page) => keys.jobDone(jobId, page));
  const found = others.length === 0 ? [] : await mapBusyToUnavailable(db.getMany(others));
  const read = new Map(found.map((page) => [page.sk, BatchResults.parse(page).results]));
  return pages.flatMap((page) => own.get(page) ?? read.get(keys.jobDone(jobId, page).sk) ?? []);
};

const resultsIn = (decisions: readonly BulkDecision[]): Results =>
  decisions.flatMap(({ result }) => (result === undefined ? [] : [result]));

type PlannedBatch = Pick<Batch, "ids" | "candidates">;

/**
 * Runs the remaining batches.
 * @param results filled with the results of each batch
 * @returns `false` when time ran out or the database stayed busy
 */
const runRemaining = async (
  { store, rule, timeLeft }: JobWork,
  lease: Lease<SelectionJob>,
  batches: readonly PlannedBatch[],
  results: Map<number, Results>,
): Promise<boolean> => {
  const { job_id: jobId, expires } = lease.job;
  for (const [page, planned] of batches.entries()) {
    if (page < lease.job.next) continue;
    if (timeLeft() < RESERVE_MS) {
      await lease.release();
      return false;
    }
    const progress = { next: page + 1 };
    const batch: Batch = {
      store,
      ...planned,
      rule,
      timeLeft,
      onConflict: lease.requireHeld,
      extraChanges: (decisions) => {
        const done = { ...keys.jobDone(jobId, page), results: resultsIn(decisions), expires };
        return { writes: [lease.progressWrite(progress), { put: done }] };
      },
    };
    try {
      results.set(page, resultsIn(await runBatch(batch)));
    } catch (error) {
      await releaseAfterError(lease, error);
      return false;
    }
    lease.progressCommitted(progress);
  }
  return true;
};

/** The batches of a job. Only the process that has just selected the players has their index entries. */
const planBatches = async (
  store: Store,
  jobId: string,
  started: StartedJob | null,
): Promise<PlannedBatch[]> => {
  if (started !== null) {
    return chunk(started.selection, MAX_PLAYERS_PER_BATCH).map((candidates) => ({
      ids: candidates.map(({ player_id }) => player_id),
      candidates,
    }));
  }
  const planned = await mapBusyToUnavailable(store.db.get(keys.jobPlan(jobId)));
  return chunk(Plan.parse(planned).ids, MAX_PLAYERS_PER_BATCH).map((ids) => ({ ids }));
};

/**
 * Runs a job from its current state until it is done or time runs out; then it can be taken over immediately.
 * @param started the job where this process has just started it, and so holds its lease; `null` to take it over
 * @throws DomainError `in_progress` while another process works on it, or when it is done; `unavailable`
 */
export const runSelectionJob = async (
  work: JobWork,
  jobId: string,
  started: StartedJob | null,
): Promise<SelectionJobResult> => {
  const { store, clock, timeLeft, finish } = work;
  const parse = (item: StoredItem) => SelectionJob.parse(item);
  const options = { store, parse, clock, timeLeft, heldError: inProgress };
  const lease = await acquireLease(options, jobId, started?.job ?? null);
  const own = new Map<number, Results>();
  const isDone = await runRemaining(work, lease, await planBatches(store, jobId, started), own);
  const results = await readResults(store, lease.job, own);
  if (!isDone) return { partialResults: results };
  const { response, changes } = await finish(results);
  await lease.save({ done: true }, await writesOf(changes));
  return { response };
};
