/** The job that feeds more zombies than fit into one transaction. */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import { forHidden } from "../../jobs/bulk.ts";
import {
  continueSelectionJob,
  runSelectionJob,
  type SelectionJobResult,
  type StartedJob,
} from "../../jobs/selectionJob.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { Outbound } from "../../queue/queue.ts";
import { type CommandResponse, completeResponse } from "../../store/idempotency.ts";
import type { Store } from "../../store/store.ts";
import { namedPlayers, withoutNames } from "../../store/storedNames.ts";
import { newLogEntry } from "../logEntry.ts";
import { loadAliases } from "../lookups.ts";
import { FedPlayer, FeedResponse, feedResponse } from "./feedResponse.ts";
import { feedRule } from "./feedRule.ts";

/** The job's stored parameters. */
const FeedTask = z.object({
  n: z.int(),
  actor: z.string(),
  /** The request that started the job. */
  request_id: z.string(),
  reason: z.optional(z.string()),
  /** Whether original zombies are hidden from the game master. */
  is_hidden: z.optional(z.boolean()),
  /** The idempotency key under which the response is stored. */
  once: z.nullable(z.object({ who: z.string(), key: z.string(), fingerprint: z.string() })),
});
export type FeedTask = z.infer<typeof FeedTask>;

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

/** The response so far, from the results of the finished batches. */
const responseTo = async (
  store: Store,
  { is_hidden = false }: FeedTask,
  results: readonly Record<string, unknown>[],
  started: StartedJob | null,
): Promise<{ response: FeedResponse; aliases: Aliases }> => {
  const fed = results.map((result) => FedPlayer.parse(result));
  const aliases = await aliasesOf(store, fed, started);
  return { response: feedResponse(fed, aliases, is_hidden), aliases };
};

/** Encodes the response of a finished job. It is stored without aliases. */
const encode = (response: FeedResponse, aliases: Aliases): CommandResponse => {
  const body = FeedResponse.parse(response);
  return {
    status: 200,
    body: JSON.stringify(body),
    stored: JSON.stringify(withoutNames(body, namedPlayers(undefined, {}, aliases))),
  };
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
  const { n, actor, once, request_id, reason } = task;
  const context = { ...commandContext(services, clock()), reason };
  return runSelectionJob(
    {
      store,
      clock,
      timeLeft,
      rule: forHidden(game, context.now, feedRule(actor, context)),
      finish: async (results) => {
        const { response, aliases } = await responseTo(store, task, results, started);
        const encoded = encode(response, aliases);
        const startedBy = request_id === requestId ? {} : { asked_by: request_id };
        const why = reason === undefined ? {} : { reason };
        const details = { n, count: results.length, job_id: jobId, ...startedBy, ...why };
        return {
          response: encoded,
          changes: {
            basedOn: game,
            writes: completeResponse(once ?? undefined, encoded, context.now),
            log: newLogEntry(context, requestId, { action: "feed", actor, details }),
          },
        };
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
 * @returns the stored response, or the response so far
 * @throws DomainError `in_progress` while another process works on it; `unavailable`
 */
export const runFeedJob = async (
  run: FeedRun,
  task: FeedTask,
  jobId: string,
  started: StartedJob | null,
): Promise<{ response: CommandResponse } | { partial: FeedResponse }> => {
  const result = await runJob(run, task, jobId, started);
  if ("response" in result) return result;
  const { response } = await responseTo(run.services.store, task, result.partialResults, started);
  return { partial: response };
};

/** The queue message that continues a job. @param delayMs how long to delay it, in milliseconds */
export const feedMessage = (job_id: string, delayMs = 0): Outbound => ({
  message: { kind: "feed", job_id },
  delay: delayMs,
});

/** Continues an unfinished job. @throws Error on failure, so that the queue delivers the message again */
export const continueFeeding = (run: WorkerContext, jobId: string): Promise<void> =>
  continueSelectionJob(run.services, jobId, feedMessage, async (job) => {
    const game = await run.services.store.game();
    return runJob({ ...run, game }, FeedTask.parse(job), jobId, null);
  });
