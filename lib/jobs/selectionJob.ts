/** A job on players that were selected at its start. It is resumable: the plan and the results are stored in batches. */
import * as z from "zod/mini";
import { DomainError } from "../domain/domainError.ts";
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
  type CandidateBatch,
  type Decide,
  MAX_PLAYERS_PER_BATCH,
  RESERVE_MS,
  runBatch,
} from "./bulk.ts";
import { acquireLease, jobWrite, type Lease, LeasedJob, newLeasedJob } from "./lease.ts";

const SelectionJob = z.extend(LeasedJob, {
  /** Batches done so far. */
  next: z.int(),
});

export type SelectionJob = z.infer<typeof SelectionJob>;

const Plan = z.object({ ids: z.array(z.string()) });

const Done = z.object({ results: z.array(z.record(z.string(), z.unknown())) });

/** A job that has just been begun, by the very process that works on it. */
export interface StartedJob {
  job: SelectionJob;
  selection: readonly HungerEntry[];
}

/**
 * A new job upon a selection of zombies, and the writes that begin it; whoever writes them holds its lease.
 * @param task what else whoever takes it up must know
 */
export const newSelectionJob = (
  jobId: string,
  selection: readonly HungerEntry[],
  now: number,
  task: Record<string, unknown>,
): StartedJob & { writes: Write[] } => {
  const job = { ...task, ...newLeasedJob(jobId, now), next: 0 };
  const ids = selection.map(({ player_id }) => player_id);
  const plan = { ...keys.jobPlan(jobId), ids, expires: job.expires };
  return { job, selection, writes: [jobWrite(job), { put: plan, expect: "absent" }] };
};

/** A job upon a selection as it stands; none when it has been forgotten. */
export const readSelectionJob = async (store: Store, jobId: string): Promise<SelectionJob | null> => {
  const item = await mapBusyToUnavailable(store.db.get(keys.job(jobId)));
  return item === undefined ? null : SelectionJob.parse(item);
};

type Results = Record<string, unknown>[];

/** What work upon a selection has come to: an answer, or what there is of it so far. */
export type SelectionJobResult = { answer: CommandResponse } | { soFar: Results };

interface JobWork {
  store: Store;
  decide: Decide;
  /** What is judged of those whom an index proposed, without reading them. */
  decideCandidate: CandidateBatch["decide"];
  clock: () => number;
  timeLeft: () => number;
  /** The answer from the results of every batch, and what is written with it. */
  finish: (results: Results) => Promise<{ answer: CommandResponse; writes: Write[]; log?: Changes["log"] }>;
}

/** The results of every batch that is done, in order; those of others are read. */
const resultsOf = async (
  { db }: Store,
  { job_id: jobId, next }: SelectionJob,
  own: ReadonlyMap<number, Results>,
): Promise<Results> => {
  const pages = Array.from({ length: next }, (_, page) => page);
  const others = pages.filter((page) => !own.has(page)).map((page) => keys.jobDone(jobId, page));
  const found = others.length === 0 ? [] : await mapBusyToUnavailable(db.getMany(others));
  const read = new Map(found.map((page) => [page.sk, Done.parse(page).results]));
  return pages.flatMap((page) => own.get(page) ?? read.get(keys.jobDone(jobId, page).sk) ?? []);
};

const resultsIn = (judged: readonly BulkDecision[]): Results =>
  judged.flatMap(({ result }) => (result === undefined ? [] : [result]));

/**
 * Does the batches that are left.
 * @param results gets what came of each
 * @returns whether time, and the database, allowed all of them
 */
const doRest = async (
  { store, decide: judge, timeLeft }: JobWork,
  held: Lease<SelectionJob>,
  batches: readonly Pick<Batch, "ids" | "candidates">[],
  results: Map<number, Results>,
): Promise<boolean> => {
  const { job_id: jobId, expires } = held.job;
  for (const [page, ofPage] of batches.entries()) {
    if (page < held.job.next) continue;
    if (timeLeft() < RESERVE_MS) {
      await held.release();
      return false;
    }
    const progress = { next: page + 1 };
    const batch: Batch = {
      store,
      ...ofPage,
      decide: judge,
      timeLeft,
      onConflict: held.requireHeld,
      alongside: (judged) => {
        const done = { ...keys.jobDone(jobId, page), results: resultsIn(judged), expires };
        return { writes: [held.progressWrite(progress), { put: done }] };
      },
    };
    try {
      results.set(page, resultsIn(await runBatch(batch)));
    } catch (error) {
      // The next who comes need not wait for the lease to run out.
      if (error instanceof DomainError) await held.release().catch(() => {});
      // A busy database is no end: what is done is written down, and the rest goes on.
      if (error instanceof DomainError && error.code === "unavailable") return false;
      throw error;
    }
    held.progressCommitted(progress);
  }
  return true;
};

/** The batches of a job: of zombies that need not be read, for whoever has just selected them; by ids for others. */
const batchesFor = async (
  { store, decideCandidate }: JobWork,
  jobId: string,
  begun: StartedJob | null,
): Promise<Pick<Batch, "ids" | "candidates">[]> => {
  if (begun !== null) {
    return chunk(begun.selection, MAX_PLAYERS_PER_BATCH).map((zombies) => ({
      ids: zombies.map(({ player_id }) => player_id),
      candidates: { zombies, decide: decideCandidate },
    }));
  }
  const planned = await mapBusyToUnavailable(store.db.get(keys.jobPlan(jobId)));
  return chunk(Plan.parse(planned).ids, MAX_PLAYERS_PER_BATCH).map((ids) => ({ ids }));
};

/**
 * Works a job upon a selection, from where it stands, to its end or as far as time allows; then it can be taken up
 * at once.
 * @param begun the job as this call has just begun it, and so holds its lease
 * @throws DomainError `in_progress` while somebody else works on it, or when it is done; `unavailable`
 */
export const runSelectionJob = async (
  work: JobWork,
  jobId: string,
  begun: StartedJob | null,
): Promise<SelectionJobResult> => {
  const { store, clock, timeLeft, finish } = work;
  const parse = (item: StoredItem) => SelectionJob.parse(item);
  const holding = { store, parse, clock, timeLeft, heldError: inProgress, written: begun?.job };
  const held = await acquireLease(holding, jobId, begun !== null);
  const own = new Map<number, Results>();
  const isDone = await doRest(work, held, await batchesFor(work, jobId, begun), own);
  const results = await resultsOf(store, held.job, own);
  if (!isDone) return { soFar: results };
  const { answer, writes, log } = await finish(results);
  await held.save(
    { done: true },
    await writesOf({ writes, ...(log === undefined ? {} : { log }) }, store.shards()),
  );
  return { answer };
};
