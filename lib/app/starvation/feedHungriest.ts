/** Feeds the hungriest zombies: in the request if they fit into one transaction, otherwise as a job. */
import type { Game } from "../../domain/game/game.ts";
import { hiddenSince, hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import { bulkChanges, isDecision, MAX_PLAYERS_PER_BATCH } from "../../jobs/bulk.ts";
import { queueContinuation } from "../../jobs/respondByJob.ts";
import { startSelectionJob } from "../../jobs/selectionJob.ts";
import { FedPlayer, type FeedTask } from "../../jobs/tasks.ts";
import type { JobCall } from "../../lambda/call.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { countsFor } from "../game/gameView.ts";
import { FEED_JOB, runFeedJob } from "./feedJob.ts";
import { type FeedResult, feedResult, feedRule, readHungriest, selectHungriest } from "./feedRule.ts";

/** `complete` is `false` while the job continues, and absent otherwise. */
type FeedCall = JobCall<FeedResult & { complete?: boolean; job_id?: string }>;

const aliasesIn = (players: readonly { player_id: string; alias: string }[]): ReadonlyMap<string, string> =>
  new Map(players.map(({ player_id, alias }) => [player_id, alias]));

/** The number of living zombies that the game master knows of, if original zombies are hidden from them. */
const knownZombies = async (call: FeedCall): Promise<number | undefined> =>
  hidesOriginalsFrom(call.player, call.game, call.now) ? (await countsFor(call)).zombies : undefined;

const feedInRequest = (call: FeedCall, n: number): Promise<CommandResponse> => {
  const { audit, context, now, services } = call;
  const { store } = services;
  const rule = feedRule(call.player.player_id, context);

  const decideByIndex = async (game: Game) => {
    const entries = await selectHungriest(store, game, now, n);
    const decisions = entries.map((entry) => rule.decideCandidate(entry, game)).filter(isDecision);
    return { game, decisions, aliases: aliasesIn(entries) };
  };
  const decideByPlayers = async (loaded: Game) => {
    const players = await readHungriest(store, loaded, now, n);
    const game = await store.gameFor(loaded, ...players);
    const decisions = players.map((target) => rule.decide(target, game)).filter(isDecision);
    return { game, decisions, aliases: aliasesIn(players) };
  };

  return call.decide(async ({ game: loaded, isRetry, player }) => {
    const needsPlayers = isRetry || hiddenSince(loaded, now) !== null;
    const { game, decisions, aliases } = await (needsPlayers
      ? decideByPlayers(loaded)
      : decideByIndex(loaded));
    audit.details = { n, count: decisions.length };
    const fed = decisions.map(({ result }) => FedPlayer.parse(result));
    const result = feedResult(fed, aliases, await knownZombies({ ...call, game, player }));
    return { changes: bulkChanges(decisions, game), result, aliases };
  });
};

const feedAsJob = async (call: FeedCall, n: number): Promise<CommandResponse> => {
  const { audit, auditLog, context, game, idempotency, now, player, requestId, services } = call;
  const known = await knownZombies(call);
  const task: FeedTask = {
    n,
    actor: player.player_id,
    request_id: requestId,
    ...(context.reason === undefined ? {} : { reason: context.reason }),
    ...(known === undefined ? {} : { is_hidden: true, known }),
    once: idempotency ?? null,
  };
  const start = await startSelectionJob(call, FEED_JOB, async () => {
    const candidates = await mapBusyToUnavailable(selectHungriest(services.store, game, now, n));
    return { selection: { ids: candidates.map(({ player_id }) => player_id), candidates }, task };
  });
  if ("response" in start) return call.replay(start.response);
  const { jobId, started } = start;
  const result = await runFeedJob(call, task, jobId, started);
  if ("response" in result) {
    auditLog.markWritten();
    return result.response;
  }
  const { partial } = result;
  audit.details = { n, count: partial.count, complete: false, job_id: jobId };
  await queueContinuation(call, FEED_JOB, jobId);
  return call.respond({ ...partial, complete: false, job_id: jobId });
};

/**
 * Feeds the n living zombies nearest to starving.
 * @throws DomainError `in_progress` while the same request is being processed; `key_reused`; `unavailable`
 */
export const feedHungriest = (call: FeedCall, n: number): Promise<CommandResponse> =>
  n < MAX_PLAYERS_PER_BATCH ? feedInRequest(call, n) : feedAsJob(call, n);
