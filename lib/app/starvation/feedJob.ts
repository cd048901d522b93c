/** The job that feeds more zombies than fit into one transaction. */
import type { Game } from "../../domain/game/game.ts";
import { forHidden } from "../../jobs/bulk.ts";
import {
  continueSelectionJob,
  type JobKind,
  runSelectionJob,
  type SelectionJobResult,
  type StartedJob,
} from "../../jobs/selectionJob.ts";
import { FedPlayer, FeedTask, originDetails } from "../../jobs/tasks.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import type { Store } from "../../store/store.ts";
import { newLogEntry } from "../logEntry.ts";
import { loadAliases } from "../lookups.ts";
import { type FeedResult, feedResult, feedRule } from "./feedRule.ts";

export const FEED_JOB: JobKind = {
  what: "a feeding job",
  message: (job_id) => ({ kind: "feed", job_id }),
};

type Aliases = ReadonlyMap<string, string>;

/** The aliases of fed players. The process that has selected them need not read them again. */
const aliasesOf = async (
  store: Store,
  fed: readonly FedPlayer[],
  started: StartedJob | null,
): Promise<Aliases> =>
  started === null
    ? loadAliases(
        store,
        fed.map(({ player_id }) => player_id),
      )
    : new Map(started.candidates?.map(({ player_id, alias }) => [player_id, alias]));

/** The result so far, from the results of the finished batches, and the aliases in it. */
const resultOf = async (
  store: Store,
  // A task of an earlier version does not say how many are known.
  { is_hidden, known = is_hidden === true ? 0 : undefined }: FeedTask,
  results: readonly Record<string, unknown>[],
  started: StartedJob | null,
): Promise<{ result: FeedResult; aliases: Aliases }> => {
  const fed = results.map((result) => FedPlayer.parse(result));
  const aliases = await aliasesOf(store, fed, started);
  return { result: feedResult(fed, aliases, known), aliases };
};

/** The context in which a game master's request or the queue runs the job. */
type FeedRun = WorkerContext & { game: Game };

const runJob = async (
  { services, game, requestId, timeLeft }: FeedRun,
  task: FeedTask,
  jobId: string,
  started: StartedJob | null,
): Promise<SelectionJobResult> => {
  const { store, clock } = services;
  const { n, actor, once, reason } = task;
  const context = { ...commandContext(services, clock()), reason };
  return runSelectionJob(
    {
      store,
      clock,
      timeLeft,
      rule: forHidden(game, context.now, feedRule(actor, context)),
      once,
      now: context.now,
      finish: async (results) => {
        const { result, aliases } = await resultOf(store, task, results, started);
        const details = { n, count: results.length, job_id: jobId, ...originDetails(task, requestId) };
        const log = newLogEntry(context, requestId, { action: "feed", actor, details });
        return { body: { ...result }, aliases, changes: { basedOn: game, log } };
      },
    },
    jobId,
    started,
  );
};

/**
 * Runs a job from its current state until it is done or time runs out. The transaction that ends the job writes the
 * audit log entry.
 * @param started the job, if this call has just created it; `null` to take over an existing job
 * @returns the stored response, or the result so far
 * @throws DomainError `in_progress` while another process works on it; `unavailable`
 */
export const runFeedJob = async (
  run: FeedRun,
  task: FeedTask,
  jobId: string,
  started: StartedJob | null,
): Promise<{ response: CommandResponse } | { partial: FeedResult }> => {
  const ended = await runJob(run, task, jobId, started);
  if ("response" in ended) return ended;
  const { result } = await resultOf(run.services.store, task, ended.partialResults, started);
  return { partial: result };
};

/** Continues an unfinished job. @throws Error on failure, so that the queue delivers the message again */
export const continueFeeding = (run: WorkerContext, jobId: string): Promise<void> =>
  continueSelectionJob(run, FEED_JOB, jobId, (context, job) =>
    runJob(context, FeedTask.parse(job), jobId, null),
  );
