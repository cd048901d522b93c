/** Feeds the hungriest zombies: in the request if they fit into one transaction, otherwise as a job. */
import type { Game } from "../../domain/game/game.ts";
import { hiddenSince, hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import { bulkChanges, decideCandidates, isDecision, MAX_PLAYERS_PER_BATCH } from "../../jobs/bulk.ts";
import { respondByJob } from "../../jobs/respondByJob.ts";
import { startSelectionJob } from "../../jobs/selectionJob.ts";
import { FedPlayer } from "../../jobs/tasks.ts";
import type { JobCall } from "../../lambda/call.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { countsFor } from "../game/gameView.ts";
import { FEED_JOB, type FeedJobResult } from "./feedJob.ts";
import { feedResult, feedRule, readHungriest, selectHungriest } from "./feedRule.ts";

type FeedCall = JobCall<FeedJobResult>;

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
    const decisions = decideCandidates(entries, rule.decideCandidate, game);
    return decisions && { game, decisions, aliases: aliasesIn(entries) };
  };
  const decideByPlayers = async (loaded: Game) => {
    const players = await readHungriest(store, loaded, now, n);
    const game = await store.gameFor(loaded, ...players);
    const decisions = players.map((target) => rule.decide(target, game)).filter(isDecision);
    return { game, decisions, aliases: aliasesIn(players) };
  };

  return call.decide(async ({ game: loaded, isRetry, player }) => {
    const needsPlayers = isRetry || hiddenSince(loaded, now) !== null;
    const byIndex = needsPlayers ? null : await decideByIndex(loaded);
    const { game, decisions, aliases } = byIndex ?? (await decideByPlayers(loaded));
    audit.details = { n, count: decisions.length };
    const fed = decisions.map(({ result }) => FedPlayer.parse(result));
    const result = feedResult(fed, aliases, await knownZombies({ ...call, game, player }));
    return { changes: bulkChanges(decisions, game), result, aliases };
  });
};

const feedAsJob = async (call: FeedCall, n: number): Promise<CommandResponse> => {
  const { game, now, services } = call;
  const known = await knownZombies(call);
  const task = { n, ...(known === undefined ? {} : { is_hidden: true, known }) };
  const start = await startSelectionJob(call, FEED_JOB, async () => {
    const candidates = await mapBusyToUnavailable(selectHungriest(services.store, game, now, n));
    return { selection: { ids: candidates.map(({ player_id }) => player_id), candidates }, task };
  });
  return respondByJob(call, FEED_JOB, start);
};

/**
 * Feeds the n living zombies nearest to starving.
 * @throws DomainError `in_progress` while the same request is being processed; `key_reused`; `unavailable`
 */
export const feedHungriest = (call: FeedCall, n: number): Promise<CommandResponse> =>
  n < MAX_PLAYERS_PER_BATCH ? feedInRequest(call, n) : feedAsJob(call, n);
