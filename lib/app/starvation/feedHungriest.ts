/** Feeds the hungriest zombies: in the request if they fit into one transaction, otherwise as a job. */
import { v7 } from "uuid";
import type { Game } from "../../domain/game/game.ts";
import { hiddenSince, hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { bulkChanges, isDecision, MAX_PLAYERS_PER_BATCH } from "../../jobs/bulk.ts";
import {
  AFTER_LEASE_MS,
  newSelectionJob,
  queueContinuation,
  type StartedJob,
} from "../../jobs/selectionJob.ts";
import { type JobStart, startJob } from "../../jobs/startJob.ts";
import { log } from "../../runtime/log.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { reloadOnRetry } from "../currentState.ts";
import { type FeedTask, feedMessage, runFeedJob } from "./feedJob.ts";
import { FedPlayer, type FeedResponse, feedResponse } from "./feedResponse.ts";
import { feedRule, readHungriest, selectHungriest } from "./feedRule.ts";

type FeedCall = Call<"administrator", { n: number }, unknown, FeedResponse>;

const aliasesIn = (players: readonly { player_id: string; alias: string }[]): ReadonlyMap<string, string> =>
  new Map(players.map(({ player_id, alias }) => [player_id, alias]));

const feedInRequest = (call: FeedCall): Promise<CommandResponse> => {
  const { audit, body, context, now, player, services } = call;
  const { store } = services;
  const { decide, decideCandidate } = feedRule(player.player_id, context);
  const reload = reloadOnRetry(call);

  const decideByIndex = async (game: Game) => {
    const entries = await selectHungriest(store, game, now, body.n);
    const decisions = entries.map((entry) => decideCandidate(entry, game)).filter(isDecision);
    return { game, decisions, aliases: aliasesIn(entries) };
  };
  const decideByPlayers = async (loaded: Game) => {
    const players = await readHungriest(store, loaded, now, body.n);
    const game = await store.gameFor(loaded, ...players);
    const decisions = players.map((target) => decide(target, game)).filter(isDecision);
    return { game, decisions, aliases: aliasesIn(players) };
  };

  return call.decide(async ({ isRetry }) => {
    const { game: loaded } = await reload();
    const needsPlayers = isRetry || hiddenSince(loaded, now) !== null;
    const { game, decisions, aliases } = await (needsPlayers
      ? decideByPlayers(loaded)
      : decideByIndex(loaded));
    audit.details = { n: body.n, count: decisions.length };
    const fed = decisions.map(({ result }) => FedPlayer.parse(result));
    const response = feedResponse(fed, aliases, hidesOriginalsFrom(player, game, now));
    return { changes: bulkChanges(decisions, game), result: response, aliases };
  });
};

const startFeeding = (call: FeedCall, task: FeedTask): Promise<JobStart<StartedJob>> => {
  const { body, game, idempotency, now, requestId, services, timeLeft } = call;
  const { store, queue } = services;
  const prepare = async () => {
    const candidates = await mapBusyToUnavailable(selectHungriest(store, game, now, body.n));
    const jobId = v7();
    // If this process dies, the queue continues the job after its lease has expired.
    await queue.send([feedMessage(jobId, AFTER_LEASE_MS)]).catch((error: unknown) => {
      log.warn("a feeding job is not resumed if it is interrupted", { request_id: requestId, error });
    });
    const ids = candidates.map(({ player_id }) => player_id);
    return { jobId, ...newSelectionJob(jobId, { ids, candidates }, now, task) };
  };
  return startJob({ store, idempotency, now, timeLeft, prepare });
};

const feedAsJob = async (call: FeedCall): Promise<CommandResponse> => {
  const { audit, auditLog, body, context, game, idempotency, now, player, requestId, services } = call;
  const task: FeedTask = {
    n: body.n,
    actor: player.player_id,
    request_id: requestId,
    ...(context.reason === undefined ? {} : { reason: context.reason }),
    ...(hidesOriginalsFrom(player, game, now) ? { is_hidden: true } : {}),
    once: idempotency ?? null,
  };
  const start = await startFeeding(call, task);
  if ("response" in start) return call.replay(start.response);
  const { jobId, started } = start;
  const result = await runFeedJob(call, task, jobId, started);
  if ("response" in result) {
    auditLog.markWritten();
    return result.response;
  }
  const { partial } = result;
  audit.details = { n: body.n, count: partial.count, complete: false, job_id: jobId };
  await queueContinuation(services.queue, feedMessage(jobId), "a feeding job", requestId);
  return { ...call.respond({ ...partial, complete: false, job_id: jobId }), status: 202 };
};

/**
 * Feeds the n living zombies nearest to starving.
 * @throws DomainError `in_progress` while the same request is being processed; `key_reused`; `unavailable`
 */
export const feedHungriest = (call: FeedCall): Promise<CommandResponse> =>
  call.body.n < MAX_PLAYERS_PER_BATCH ? feedInRequest(call) : feedAsJob(call);
