/** Feeding the hungriest: at once when one transaction holds them, as a job when there are more. */
import { v7 } from "uuid";
import * as z from "zod/mini";
import { type Game, starvedAt, wallDeadline } from "../../domain/clock.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { type Player, stateOf } from "../../domain/player.ts";
import { rfc3339, SECOND } from "../../domain/time.ts";
import { feedCandidate, feedPlayer } from "../../domain/transitions.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { Call } from "../../http/definition.ts";
import { namedPlayers, withoutNames } from "../../http/storedNames.ts";
import { Timestamp } from "../../http/views.ts";
import { type BulkDecision, type Decide, MAX_PLAYERS_PER_BATCH } from "../../jobs/bulk.ts";
import { LEASE_MS } from "../../jobs/lease.ts";
import {
  newSelectionJob,
  readSelectionJob,
  runSelectionJob,
  type SelectionJobResult,
  type StartedJob,
} from "../../jobs/selectionJob.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { Outbound } from "../../queue/queue.ts";
import { log } from "../../runtime/log.ts";
import { mapBusyToUnavailable, unavailable } from "../../store/commit.ts";
import {
  type CommandResponse,
  completeResponse,
  reserveResponse,
  storedResponse,
} from "../../store/idempotency.ts";
import { type HungerEntry, parseHungerEntry } from "../../store/items.ts";
import { hungerOrder } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { reloadOnRetry } from "../currentState.ts";
import { loadAliases } from "../lookups.ts";

export const FeedResponse = z.object({
  /** The alias is `null` in a repeated answer for one who has left since. */
  fed: z.array(z.object({ alias: z.nullable(z.string()), starves_at: Timestamp })),
  count: z.int(),
  /** Said only while it goes on: `false`. */
  complete: z.optional(z.boolean()),
  /** Of the job that goes on. */
  job_id: z.optional(z.string()),
});
type FeedResponse = z.infer<typeof FeedResponse>;

type FeedCall = Call<"administrator", { n: number }, unknown, FeedResponse>;

const Fed = z.object({ player_id: z.string(), starves_at: z.string() });
type Fed = z.infer<typeof Fed>;

/** What whoever takes up a feeding must know of it. */
const FeedTask = z.object({
  n: z.int(),
  actor: z.string(),
  request_id: z.string(),
  /** The key under which its answer is to be kept. */
  once: z.nullable(z.object({ who: z.string(), key: z.string(), fingerprint: z.string() })),
});
type FeedTask = z.infer<typeof FeedTask>;

/** The n living zombies nearest to starving, as an index proposes them. */
const hungriest = async (
  { services: { store }, now, body }: FeedCall,
  game: Game,
): Promise<HungerEntry[]> => {
  const found: HungerEntry[] = [];
  for await (const { item } of store.hungerEntries(game, now, body.n)) {
    const entry = parseHungerEntry(item);
    if (starvedAt(game, entry, now) === null) found.push(entry);
    if (found.length >= body.n) break;
  }
  return found;
};

/** As {@link hungriest}, each by its own item: one who has been fed since the index was written stands further back. */
const hungriestByItem = async (call: FeedCall, game: Game): Promise<Player[]> => {
  const { services, now, body } = call;
  const { store } = services;
  const living = new Map<string, Player>();
  const inPlace = new Set<string>();
  let candidates: HungerEntry[] = [];
  const judge = async () => {
    const players = await store.players(candidates.map(({ player_id }) => player_id));
    for (const { player_id, deadline } of candidates) {
      const player = players.get(player_id);
      if (player === undefined || stateOf(player, game, now) !== "zombie") continue;
      living.set(player_id, player);
      // Where a meal has moved one since the index was written, others may stand before them.
      if (player.deadline === deadline) inPlace.add(player_id);
    }
    candidates = [];
  };
  for await (const { item } of store.hungerEntries(game, now, body.n)) {
    candidates.push(parseHungerEntry(item));
    if (inPlace.size + candidates.length >= body.n) await judge();
    if (inPlace.size >= body.n) break;
  }
  await judge();
  const place = ({ deadline, player_id }: Player): string => hungerOrder(deadline ?? 0, player_id);
  const nearestFirst = [...living.values()].sort((one, other) => (place(one) < place(other) ? -1 : 1));
  return nearestFirst.slice(0, body.n);
};

const judgeOf =
  (actor: string, moment: CommandContext): Decide =>
  (target, game) => {
    const { now } = moment;
    if (stateOf(target, game, now) !== "zombie") return null;
    const outcome = feedPlayer({ game, target, actor }, moment);
    const { player_id, deadline } = outcome.player;
    const starves_at = rfc3339(wallDeadline(game, deadline ?? 0, now));
    return { outcome, result: { player_id, starves_at } };
  };

/** As {@link judgeOf}, of a zombie as it was proposed. */
const judgeProposedOf =
  (actor: string, moment: CommandContext) =>
  (zombie: HungerEntry, game: Game): BulkDecision | null => {
    const outcome = feedCandidate(zombie, game, actor, moment);
    const deadline = outcome?.zombies?.[0]?.after?.deadline ?? zombie.deadline;
    if (outcome === null) return null;
    const starves_at = rfc3339(wallDeadline(game, deadline, moment.now));
    return { outcome, result: { player_id: zombie.player_id, starves_at } };
  };

const answerOf = (fed: FeedResponse["fed"]): FeedResponse => ({ fed, count: fed.length });

const feedAtOnce = (call: FeedCall): Promise<CommandResponse> => {
  const fresh = reloadOnRetry(call);
  const { services, audit: note, body, player, context: moment } = call;
  const judge = judgeOf(player.player_id, moment);
  const judgeProposed = judgeProposedOf(player.player_id, moment);
  const named = <T extends { alias: string }>(
    zombies: readonly T[],
    by: (zombie: T) => BulkDecision | null,
  ) =>
    zombies.flatMap((zombie) => {
      const judgement = by(zombie);
      return judgement === null ? [] : [{ ...judgement, alias: zombie.alias }];
    });
  return call.decide(async (again) => {
    const { game: read } = await fresh();
    let game = read;
    let judged: (BulkDecision & { alias: string })[];
    if (again) {
      const players = await hungriestByItem(call, read);
      game = await services.store.gameFor(read, ...players);
      judged = named(players, (one) => judge(one, game));
    } else {
      judged = named(await hungriest(call, game), (zombie) => judgeProposed(zombie, game));
    }
    note.details = { n: body.n, count: judged.length };
    const fed = judged.map(({ alias, result }) => ({ alias, ...Fed.parse(result) }));
    return {
      changes: {
        players: judged.flatMap(({ outcome }) => outcome.players),
        zombies: judged.flatMap(({ outcome: { zombies = [] } }) => zombies),
        interactions: judged.flatMap(({ outcome }) => outcome.interactions),
        seen: game.rev,
      },
      response: answerOf(fed),
      names: new Map(fed.map(({ player_id, alias }) => [player_id, alias])),
    };
  });
};

type Names = ReadonlyMap<string, string>;

/** The names of the fed as they are now, or as they were when they were selected just before. */
const namesOf = async (store: Store, fed: readonly Fed[], begun: StartedJob | null): Promise<Names> =>
  begun === null
    ? loadAliases(
        store,
        fed.map(({ player_id }) => player_id),
      )
    : new Map(begun.selection.map(({ player_id, alias }) => [player_id, alias]));

/** The fed by name; whoever has left is missing. */
const shown = (fed: readonly Fed[], names: Names): FeedResponse =>
  answerOf(
    fed.flatMap(({ player_id, starves_at }) => {
      const alias = names.get(player_id);
      return alias === undefined ? [] : [{ alias, starves_at }];
    }),
  );

/** The answer to a job that has ended, and as it is stored: without names. */
const encode = (answer: FeedResponse, names: Names): CommandResponse => {
  const body = FeedResponse.parse(answer);
  return {
    status: 200,
    body: JSON.stringify(body),
    stored: JSON.stringify(withoutNames(body, namedPlayers(undefined, {}, names))),
  };
};

/** Works a job, from where it stands, to its end or as far as time allows; the log entry goes with its end. */
const work = async (
  { services, requestId, timeLeft }: WorkerContext,
  { n, actor, once, request_id }: FeedTask,
  { jobId, begun }: { jobId: string; begun: StartedJob | null },
): Promise<SelectionJobResult> => {
  const { store, clock } = services;
  const moment = commandContext(services, clock());
  return runSelectionJob(
    {
      store,
      clock,
      timeLeft,
      decide: judgeOf(actor, moment),
      decideCandidate: judgeProposedOf(actor, moment),
      finish: async (results) => {
        const fed = results.map((result) => Fed.parse(result));
        const names = await namesOf(store, fed, begun);
        const answer = encode(shown(fed, names), names);
        const log = {
          log_id: moment.newId(),
          at: rfc3339(moment.now),
          action: "feed",
          actor,
          target: null,
          request_id: requestId,
          outcome: "done",
          details: {
            n,
            count: results.length,
            job_id: jobId,
            ...(request_id === requestId ? {} : { asked_by: request_id }),
          },
        };
        return { answer, writes: completeResponse(once ?? undefined, answer, moment.now), log };
      },
    },
    jobId,
    begun,
  );
};

const message = (job_id: string, delay = 0): Outbound => ({ message: { kind: "feed", job_id }, delay });

const isTaken = (error: unknown): boolean => error instanceof DomainError && error.code === "in_progress";

/** Goes on with a feeding that its caller could not end, or that was cut off. @throws Error when it is to come again */
export const continueFeeding = async (run: WorkerContext, jobId: string): Promise<void> => {
  const { store, queue } = run.services;
  const job = await readSelectionJob(store, jobId);
  if (job === null || job.done) return;
  try {
    const worked = await work(run, FeedTask.parse(job), { jobId, begun: null });
    if ("soFar" in worked) await queue.send([message(jobId)]);
  } catch (error) {
    if (!isTaken(error)) throw error;
    // Somebody is at it: should they be cut off, this goes on when their lease has run out.
    await queue.send([message(jobId, LEASE_MS + SECOND)]);
  }
};

/** Works a job within a call: its answer, or 202 with what there is so far while it goes on by the queue. */
const answerNow = async (
  call: FeedCall,
  task: FeedTask,
  jobId: string,
  begun: StartedJob | null,
): Promise<CommandResponse> => {
  const { services, requestId, timeLeft, audit: note, auditLog: entry } = call;
  const worked = await work({ services, requestId, timeLeft }, task, { jobId, begun });
  if ("answer" in worked) {
    entry.markWritten();
    return worked.answer;
  }
  const fed = worked.soFar.map((result) => Fed.parse(result));
  const soFar = shown(fed, await namesOf(services.store, fed, begun));
  note.details = { n: task.n, count: soFar.count, complete: false, job_id: jobId };
  await services.queue.send([message(jobId)]).catch((error: unknown) => {
    log.warn("a feeding waits for its caller", { request_id: requestId, error });
    // Without the queue it is the same request that takes it up again.
    throw unavailable();
  });
  return { ...call.respond({ ...soFar, complete: false, job_id: jobId }), status: 202 };
};

/**
 * Feeds the n living zombies nearest to starving.
 * @throws DomainError `in_progress` while the same request is being worked on; `key_reused`; `unavailable`
 */
export const feedHungriest = async (call: FeedCall): Promise<CommandResponse> => {
  const { body, idempotency: once, now, services, timeLeft, game, player, requestId } = call;
  const { store, queue } = services;
  if (body.n < MAX_PLAYERS_PER_BATCH) return feedAtOnce(call);
  const task: FeedTask = {
    n: body.n,
    actor: player.player_id,
    request_id: requestId,
    once: once ?? null,
  };
  const earlier = await storedResponse(store.db, once, now);
  if (earlier?.job !== undefined) return answerNow(call, task, earlier.job, null);
  if (earlier !== undefined) return call.replay(earlier);

  const selection = await mapBusyToUnavailable(hungriest(call, game));
  const jobId = v7();
  // Should this process die in the middle, the queue goes on when its lease has run out.
  await queue.send([message(jobId, LEASE_MS + SECOND)]).catch((error: unknown) => {
    log.warn("nobody watches over a feeding", { request_id: requestId, error });
  });
  const begun = newSelectionJob(jobId, selection, now, task);
  try {
    await store.commit([...begun.writes, ...reserveResponse(once, now, jobId)], timeLeft);
  } catch (error) {
    // The same request has begun a job in the meantime.
    if (error instanceof ConditionFailed) return feedHungriest(call);
    throw error;
  }
  return answerNow(call, task, jobId, begun);
};
