/** Feeding the hungriest: at once when one transaction holds them, as a job when there are more. */
import { v7 } from "uuid";
import * as z from "zod/mini";
import { type Game, wallDeadline } from "../domain/clock.ts";
import { type Player, stateOf } from "../domain/player.ts";
import { rfc3339 } from "../domain/time.ts";
import { feedPlayer } from "../domain/transitions.ts";
import { Stale } from "../store/database.ts";
import { type Answer, fulfilAnswer, promiseAnswer, reading, storedAnswer } from "../store/decide.ts";
import { type HungerEntry, parseHungerEntry } from "../store/items.ts";
import { type Judge, MOST_AT_ONCE, newJob, workJob } from "../store/many.ts";
import type { Call } from "./endpoint.ts";
import { freshly } from "./scene.ts";
import { aliases } from "./views.ts";

interface FeedAnswer {
  fed: { alias: string; starves_at: string }[];
  count: number;
}

type FeedCall = Call<"administrator", { n: number }, unknown, FeedAnswer>;

const Fed = z.object({ player_id: z.string(), starves_at: z.string() });

/** The n living zombies nearest to starving: proposed by the index, each judged by its own item. */
const hungriest = async ({ services: { store }, now, body }: FeedCall, game: Game): Promise<Player[]> => {
  const chosen: Player[] = [];
  let candidates: HungerEntry[] = [];
  const judge = async () => {
    const players = await store.players(candidates.map(({ player_id }) => player_id));
    for (const { player_id, deadline } of candidates) {
      const player = players.get(player_id);
      // One who has been fed since the index was written stands further back now.
      const isWhereProposed = player !== undefined && player.deadline === deadline;
      if (isWhereProposed && stateOf(player, game, now) === "zombie") chosen.push(player);
    }
    candidates = [];
  };
  for await (const { item } of store.hungerEntries(game, now, body.n)) {
    candidates.push(parseHungerEntry(item));
    if (chosen.length + candidates.length >= body.n) await judge();
    if (chosen.length >= body.n) break;
  }
  await judge();
  return chosen.slice(0, body.n);
};

const judgeOf =
  ({ player: { player_id: actor }, moment, now }: FeedCall): Judge =>
  (target, game) => {
    if (stateOf(target, game, now) !== "zombie") return null;
    const outcome = feedPlayer({ game, target, actor }, moment);
    const { player_id, deadline } = outcome.player;
    const starves_at = rfc3339(wallDeadline(game, deadline ?? 0, now));
    return { outcome, result: { player_id, starves_at } };
  };

const answerOf = (fed: FeedAnswer["fed"]): FeedAnswer => ({ fed, count: fed.length });

const feedAtOnce = (call: FeedCall): Promise<Answer> => {
  const again = freshly(call);
  const { services, note, body } = call;
  const judge = judgeOf(call);
  return call.decide(async () => {
    const { game: read } = await again();
    const players = await hungriest(call, read);
    const game = await services.store.gameFor(read, ...players);
    const judged = players.flatMap((player) => {
      const judgement = judge(player, game);
      return judgement === null ? [] : [{ ...judgement, alias: player.alias }];
    });
    note.details = { n: body.n, count: judged.length };
    return {
      changes: {
        players: judged.flatMap(({ outcome }) => outcome.players),
        interactions: judged.flatMap(({ outcome }) => outcome.interactions),
        seen: game.rev,
      },
      answer: answerOf(judged.map(({ alias, result }) => ({ alias, ...Fed.parse(result) }))),
    };
  });
};

/** Works a job to its end and answers from what it left. */
const work = async (call: FeedCall, jobId: string, begun: boolean): Promise<Answer> => {
  const { services, timeLeft, once, now, note, body } = call;
  const answered = await workJob(
    {
      store: services.store,
      clock: services.clock,
      timeLeft,
      judge: judgeOf(call),
      finish: async (results) => {
        const fed = results.map((result) => Fed.parse(result));
        const names = await aliases(
          services.store,
          fed.map(({ player_id }) => player_id),
        );
        const shown = fed.flatMap(({ player_id, starves_at }) => {
          const alias = names.get(player_id);
          return alias === undefined ? [] : [{ alias, starves_at }];
        });
        note.details = { n: body.n, count: fed.length, job_id: jobId };
        const answer = call.answer(answerOf(shown));
        const log = call.log.entry("done");
        const kept = fulfilAnswer(once, answer, now);
        return { answer, writes: kept, ...(log === undefined ? {} : { log }) };
      },
    },
    jobId,
    begun,
  );
  call.log.written();
  return answered;
};

/**
 * Feeds the n living zombies nearest to starving.
 * @throws Refusal `in_progress` while the same request is being worked on; `key_reused`
 */
export const feedHungriest = async (call: FeedCall): Promise<Answer> => {
  const { body, once, now, services, timeLeft, game } = call;
  const { store } = services;
  if (body.n < MOST_AT_ONCE) return feedAtOnce(call);
  const earlier = once === undefined ? undefined : await storedAnswer(store.db, once, now);
  if (earlier?.job !== undefined) return work(call, earlier.job, false);
  if (earlier !== undefined) return { status: earlier.status, body: earlier.body };

  const players = await reading(hungriest(call, game));
  const jobId = v7();
  const writes = newJob(
    jobId,
    players.map(({ player_id }) => player_id),
    now,
  );
  try {
    await store.commit([...writes, ...promiseAnswer(once, now, jobId)], timeLeft);
  } catch (error) {
    // The same request has begun a job in the meantime.
    if (error instanceof Stale) return feedHungriest(call);
    throw error;
  }
  return work(call, jobId, true);
};
