/**
 * Command many: one command upon many players, in transactions of up to 48 of them. Each player is done once
 * however often the work is taken up, and who has moved meanwhile is judged again. Work that must survive the
 * process that began it is a job: its selection is fixed in the table, and so is how far it has come.
 */
import * as z from "zod/mini";
import { batchesOf } from "../domain/batches.ts";
import type { Game } from "../domain/clock.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Player } from "../domain/player.ts";
import { Refusal } from "../domain/refusal.ts";
import { type Changes, writesOf } from "./changes.ts";
import { Stale, type StoredItem, type Write } from "./database.ts";
import { type Answer, IN_PROGRESS, reading, UNAVAILABLE } from "./decide.ts";
import { beginJob, type HeldJob, holdJob, LeasedJob, leasedJob } from "./jobs.ts";
import { keys } from "./keys.ts";
import type { Store } from "./store.ts";

/** A player and their interaction are two writes of at most 100; the rest is for the counters, log and job. */
export const MOST_AT_ONCE = 48;

/** Time kept for what comes after the last batch, in milliseconds. */
export const RESERVE = 3_000;

/** What becomes of one player, with a result to be kept where a job keeps results. */
export interface Judgement {
  outcome: Outcome;
  result?: Record<string, unknown>;
}

/** Judges one player as they are now; `null` for one whom the command does not concern any more. */
export type Judge = (player: Player, game: Game) => Judgement | null;

interface Batch {
  store: Store;
  ids: readonly string[];
  judge: Judge;
  /** What is written with the players of this batch. */
  beside?: (judged: readonly Judgement[]) => Pick<Changes, "log" | "writes">;
  /** Called when something has moved, before the players are read again. */
  onMoved?: () => Promise<void>;
  timeLeft: () => number;
}

/** Carries out one batch; resolves to what it came to. @throws Refusal `unavailable` when time runs out */
export const doBatch = async ({
  store,
  ids,
  judge,
  beside,
  onMoved,
  timeLeft,
}: Batch): Promise<Judgement[]> => {
  for (;;) {
    const players = await reading(store.players(ids));
    const game = await reading(store.gameFor(await store.game(), ...players.values()));
    const judged = ids.flatMap((id) => {
      const player = players.get(id);
      const judgement = player === undefined ? null : judge(player, game);
      return judgement === null ? [] : [judgement];
    });
    const extra = beside?.(judged) ?? {};
    if (judged.length === 0 && extra.writes === undefined) return judged;
    const outcomes = judged.map(({ outcome }) => outcome);
    const changes: Changes = {
      players: outcomes.flatMap(({ players: changed }) => changed),
      interactions: outcomes.flatMap(({ interactions }) => interactions),
      seen: game.rev,
      ...extra,
    };
    try {
      await store.commit(writesOf(changes, store.shards()), timeLeft);
      return judged;
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      if (timeLeft() < RESERVE) throw UNAVAILABLE();
      await onMoved?.();
    }
  }
};

/**
 * Carries out a command upon candidates, as far as time allows.
 * @returns how many it concerned, and whether all candidates were looked at
 */
export const commandMany = async (
  work: Omit<Batch, "ids" | "onMoved">,
  candidates: readonly string[],
): Promise<{ done: number; complete: boolean }> => {
  let done = 0;
  for (const ids of batchesOf(candidates, MOST_AT_ONCE)) {
    if (work.timeLeft() < RESERVE) return { done, complete: false };
    done += (await doBatch({ ...work, ids })).length;
  }
  return { done, complete: true };
};

const SelectionJob = z.extend(LeasedJob, {
  /** Batches done so far. */
  next: z.int(),
});
export type SelectionJob = z.infer<typeof SelectionJob>;

const Plan = z.object({ ids: z.array(z.string()) });
const Done = z.object({ results: z.array(z.record(z.string(), z.unknown())) });

/**
 * The writes that begin a job upon a selection of players; whoever wrote them holds its lease.
 * @param task what else whoever takes it up must know
 */
export const newJob = (
  jobId: string,
  ids: readonly string[],
  now: number,
  task: Record<string, unknown>,
): Write[] => {
  const job = leasedJob(jobId, now);
  const plan = { ...keys.jobPlan(jobId), ids, expires: job.expires };
  return [beginJob({ ...task, ...job, next: 0 }), { put: plan, expect: "absent" }];
};

/** A job upon a selection as it stands; none when it has been forgotten. */
export const selectionJob = async (store: Store, jobId: string): Promise<SelectionJob | null> => {
  const item = await reading(store.db.get(keys.job(jobId)));
  return item === undefined ? null : SelectionJob.parse(item);
};

type Results = Record<string, unknown>[];

/** What work upon a selection has come to: an answer, or what there is of it so far. */
export type Worked = { answer: Answer } | { soFar: Results };

interface JobWork {
  store: Store;
  judge: Judge;
  clock: () => number;
  timeLeft: () => number;
  /** The answer from the results of every batch, and what is written with it. */
  finish: (results: Results) => Promise<{ answer: Answer; writes: Write[]; log?: Changes["log"] }>;
}

/** The results of every batch that is done, in order. */
const resultsOf = async ({ db }: Store, jobId: string, pages: number): Promise<Results> => {
  const wanted = Array.from({ length: pages }, (_, page) => keys.jobDone(jobId, page));
  const found = await reading(db.getMany(wanted));
  const inOrder = found.sort((one, other) => (one.sk < other.sk ? -1 : 1));
  return inOrder.flatMap((page) => Done.parse(page).results);
};

/** Does the batches that are left. @returns whether time, and the database, allowed all of them */
const doRest = async (
  { store, judge, timeLeft }: JobWork,
  held: HeldJob<SelectionJob>,
  batches: readonly (readonly string[])[],
): Promise<boolean> => {
  const { job_id: jobId, expires } = held.job;
  for (const [page, ids] of batches.entries()) {
    if (page < held.job.next) continue;
    if (timeLeft() < RESERVE) {
      await held.release();
      return false;
    }
    const progress = { next: page + 1 };
    const batch: Batch = {
      store,
      ids,
      judge,
      timeLeft,
      onMoved: held.requireHold,
      beside: (judged) => {
        const results = judged.flatMap(({ result }) => (result === undefined ? [] : [result]));
        const done = { ...keys.jobDone(jobId, page), results, expires };
        return { writes: [held.step(progress), { put: done }] };
      },
    };
    try {
      await doBatch(batch);
    } catch (error) {
      // The next who comes need not wait for the lease to run out.
      if (error instanceof Refusal) await held.release().catch(() => {});
      // A busy database is no end: what is done is written down, and the rest goes on.
      if (error instanceof Refusal && error.code === "unavailable") return false;
      throw error;
    }
    held.stepped(progress);
  }
  return true;
};

/**
 * Works a job upon a selection, from where it stands, to its end or as far as time allows; then it can be taken up
 * at once.
 * @param begun whether this call has just begun it, and so holds its lease
 * @throws Refusal `in_progress` while somebody else works on it, or when it is done; `unavailable`
 */
export const workJob = async (work: JobWork, jobId: string, begun: boolean): Promise<Worked> => {
  const { store, clock, timeLeft, finish } = work;
  const parse = (item: StoredItem) => SelectionJob.parse(item);
  const held = await holdJob({ store, parse, clock, timeLeft, taken: IN_PROGRESS }, jobId, begun);
  const planned = await reading(store.db.get(keys.jobPlan(jobId)));
  const batches = batchesOf(Plan.parse(planned).ids, MOST_AT_ONCE);
  const isDone = await doRest(work, held, batches);
  const results = await resultsOf(store, jobId, held.job.next);
  if (!isDone) return { soFar: results };
  const { answer, writes, log } = await finish(results);
  await held.save(
    { done: true },
    writesOf({ writes, ...(log === undefined ? {} : { log }) }, store.shards()),
  );
  return { answer };
};
