/** The job that feeds more zombies than fit into one transaction. */
import { forHidden } from "../../jobs/bulk.ts";
import type { JobKind, StartedJob } from "../../jobs/jobKind.ts";
import { FedPlayer, FeedTask } from "../../jobs/tasks.ts";
import type { Store } from "../../store/store.ts";
import { loadAliases } from "../lookups.ts";
import { type FeedResult, feedResult, feedRule } from "./feedRule.ts";

/** The aliases of fed players. The process that has selected them need not read them again. */
const aliasesOf = async (
  store: Store,
  fed: readonly FedPlayer[],
  started: StartedJob | null,
): Promise<ReadonlyMap<string, string>> =>
  started === null
    ? loadAliases(
        store,
        fed.map(({ player_id }) => player_id),
      )
    : new Map(started.candidates?.map(({ player_id, alias }) => [player_id, alias]));

/** `complete` is `false` while the job continues, and absent otherwise. */
export type FeedJobResult = FeedResult & { complete?: boolean; job_id?: string };

export const FEED_JOB: JobKind<FeedTask, FeedJobResult> = {
  what: "a feeding job",
  kind: "feed",
  parse: (job) => FeedTask.parse(job),
  action: () => "feed",
  work: ({ game, context, task: { actor } }) => ({
    rule: forHidden(game, context.now, feedRule(actor, context)),
  }),
  result: async ({ services, task, jobId, started }, { results, complete }) => {
    // A task of an earlier version does not say how many are known.
    const { n, is_hidden, known = is_hidden === true ? 0 : undefined } = task;
    const fed = results.map((result) => FedPlayer.parse(result));
    const aliases = await aliasesOf(services.store, fed, started);
    const unfinished = complete ? {} : { complete };
    return {
      body: { ...feedResult(fed, aliases, known), ...(complete ? {} : { complete, job_id: jobId }) },
      details: { n, count: results.length, ...unfinished, job_id: jobId },
      aliases,
    };
  },
};
