import type { Game } from "../domain/clock.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Player } from "../domain/player.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { chunk } from "../runtime/chunk.ts";
import { type Changes, writesOf } from "../store/changes.ts";
import { mapBusyToUnavailable, unavailable } from "../store/commit.ts";
import type { HungerEntry } from "../store/items.ts";
import type { Store } from "../store/store.ts";

/** A player and their interaction are two writes of at most 100; the rest is for the counters, log and job. */
export const MAX_PLAYERS_PER_BATCH = 48;

/** Time kept for what comes after the last batch, in milliseconds. */
export const RESERVE_MS = 3_000;

/** What becomes of one player, with a result to be kept where a job keeps results. */
export interface BulkDecision {
  outcome: Outcome;
  result?: Record<string, unknown>;
}

/** Judges one player as they are now; `null` for one whom the command does not concern any more. */
export type Decide = (player: Player, game: Game) => BulkDecision | null;

/** Zombies that an index has proposed, and what is judged of each by that alone; `null` for one not concerned. */
export interface CandidateBatch {
  zombies: readonly HungerEntry[];
  decide: (zombie: HungerEntry, game: Game) => BulkDecision | null;
}

export interface Batch {
  store: Store;
  ids: readonly string[];
  decide: Decide;
  /** The same players as zombies that need not be read, where that is what they are. */
  candidates?: CandidateBatch | undefined;
  /** What is written with the players of this batch. */
  alongside?: (judged: readonly BulkDecision[]) => Pick<Changes, "log" | "writes">;
  /** Called when something has moved, before the players are read again. */
  onConflict?: () => Promise<void>;
  timeLeft: () => number;
}

/** What a batch came to, with what is written beside it; `null` for nothing. */
const changesOf = (
  judged: readonly BulkDecision[],
  game: Game,
  beside: Batch["alongside"],
): Changes | null => {
  const extra = beside?.(judged) ?? {};
  if (judged.length === 0 && extra.writes === undefined) return null;
  const outcomes = judged.map(({ outcome }) => outcome);
  return {
    players: outcomes.flatMap(({ players }) => players),
    zombies: outcomes.flatMap(({ zombies = [] }) => zombies),
    interactions: outcomes.flatMap(({ interactions }) => interactions),
    seen: game.rev,
    ...extra,
  };
};

/** Writes what was judged; `false` when something has moved since it was read or proposed. */
const carriedOut = async (
  { store, alongside: beside, timeLeft }: Batch,
  judged: readonly BulkDecision[],
  game: Game,
): Promise<boolean> => {
  const changes = changesOf(judged, game, beside);
  if (changes === null) return true;
  try {
    await store.commit(await writesOf(changes, store.shards()), timeLeft);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
};

/** Carries out a batch without reading its players; `null` when one of them is not as proposed any more. */
const doProposed = async (
  batch: Batch,
  { zombies, decide: judge }: CandidateBatch,
): Promise<BulkDecision[] | null> => {
  const game = await mapBusyToUnavailable(batch.store.game());
  const judged = zombies.flatMap((zombie) => {
    const judgement = judge(zombie, game);
    return judgement === null ? [] : [judgement];
  });
  return (await carriedOut(batch, judged, game)) ? judged : null;
};

/** Carries out one batch; resolves to what it came to. @throws DomainError `unavailable` when time runs out */
export const runBatch = async (batch: Batch): Promise<BulkDecision[]> => {
  const { store, ids, decide: judge, onConflict: onMoved, timeLeft, candidates: proposal } = batch;
  if (proposal !== undefined) {
    const done = await doProposed(batch, proposal);
    if (done !== null) return done;
    if (timeLeft() < RESERVE_MS) throw unavailable();
    await onMoved?.();
  }
  for (;;) {
    const players = await mapBusyToUnavailable(store.players(ids));
    const game = await mapBusyToUnavailable(store.gameFor(await store.game(), ...players.values()));
    const judged = ids.flatMap((id) => {
      const player = players.get(id);
      const judgement = player === undefined ? null : judge(player, game);
      return judgement === null ? [] : [judgement];
    });
    if (await carriedOut(batch, judged, game)) return judged;
    if (timeLeft() < RESERVE_MS) throw unavailable();
    await onMoved?.();
  }
};

/**
 * Carries out a command upon zombies that an index has proposed, as far as time allows: by the proposal where all of a
 * batch are still as proposed, by their own items otherwise.
 * @param work.onDone hears what a batch came to, when it is written
 * @returns how many it concerned, and whether all candidates were looked at
 */
export const runBulk = async (
  work: Omit<Batch, "ids" | "onConflict" | "candidates"> & {
    decideCandidate: CandidateBatch["decide"];
    onDone: (judged: readonly BulkDecision[]) => void;
  },
  candidates: readonly HungerEntry[],
): Promise<{ done: number; complete: boolean }> => {
  let done = 0;
  for (const zombies of chunk(candidates, MAX_PLAYERS_PER_BATCH)) {
    if (work.timeLeft() < RESERVE_MS) return { done, complete: false };
    const ids = zombies.map(({ player_id }) => player_id);
    const proposal = { zombies, decide: work.decideCandidate };
    const judged = await runBatch({ ...work, ids, candidates: proposal });
    work.onDone(judged);
    done += judged.length;
  }
  return { done, complete: true };
};
