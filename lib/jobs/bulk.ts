/** Applies a rule to many players, one transaction per batch; after a conflict, a batch is read and decided again. */
import type { Game } from "../domain/game/game.ts";
import type { Outcome } from "../domain/outcome.ts";
import type { Player } from "../domain/players/player.ts";
import { hiddenSince } from "../domain/players/visibility.ts";
import type { Write } from "../dynamodb/database.ts";
import { ConditionFailed } from "../dynamodb/errors.ts";
import { chunk } from "../runtime/chunk.ts";
import { type Changes, writesOf } from "../store/changes.ts";
import { mapBusyToUnavailable, unavailable } from "../store/commit.ts";
import type { HungerEntry } from "../store/items.ts";
import type { Store } from "../store/store.ts";

/** Each player takes two of the 100 writes of a transaction; the others are for the counters, the log and the job. */
export const MAX_PLAYERS_PER_BATCH = 48;

/** Time reserved for the work after the last batch. */
export const BATCHES_RESERVE_MS = 3_000;

/** The decision of a rule for one player. */
export interface BulkDecision {
  outcome: Outcome;
  /** The result for this player, in jobs that store one for each player. */
  result?: Record<string, unknown>;
  /** Further writes that belong to it. */
  writes?: Write[];
}

/**
 * A rule of a bulk command, in two forms that make the same decisions. Both return `null` for a player to whom the command
 * does not apply.
 */
export interface BulkRule {
  /** Decides for a player by the player's item. */
  decide: (player: Player, game: Game) => BulkDecision | null;
  /** Decides for a zombie by its index entry alone; the write is conditional on that entry. `undefined` if it does not suffice. */
  decideCandidate: (zombie: HungerEntry, game: Game) => BulkDecision | null | undefined;
}

/** A rule that may lack the form for index entries, so that the players must be read. */
export type PlayerRule = Pick<BulkRule, "decide"> &
  Partial<BulkRule> & {
    /** Called with the players of a batch after each read, to read what the decision depends on and is newer than they. */
    prepare?: (players: readonly Player[], game: Game) => Promise<void>;
  };

/** Makes a rule read the players while original zombies are hidden: index entries do not show who is one. */
export const forHidden = (game: Game, now: number, rule: BulkRule): PlayerRule =>
  hiddenSince(game, now) === null ? rule : { decide: rule.decide };

export interface Batch {
  store: Store;
  ids: readonly string[];
  rule: PlayerRule;
  /** The index entries of all these players, if known: then the first attempt does not read the players. */
  candidates?: readonly HungerEntry[];
  /** Returns further changes for the batch's transaction. */
  extraChanges?: (decisions: readonly BulkDecision[]) => Pick<Changes, "log" | "writes">;
  /** Called after a conflict, before the players are read. */
  onConflict?: () => Promise<void>;
  timeLeft: () => number;
}

/** The changes of all decisions. @param game the game that they are based on */
export const bulkChanges = (
  decisions: readonly BulkDecision[],
  game: Game,
): Changes & Pick<Outcome, "players"> & { writes: Write[] } => {
  const outcomes = decisions.map(({ outcome }) => outcome);
  return {
    players: outcomes.flatMap(({ players }) => players),
    zombies: outcomes.flatMap(({ zombies = [] }) => zombies),
    interactions: outcomes.flatMap(({ interactions }) => interactions),
    writes: decisions.flatMap(({ writes = [] }) => writes),
    basedOn: game,
  };
};

/** Commits the decisions. @returns `false` if an item has changed since they were made */
const commitDecisions = async (
  { store, extraChanges, timeLeft }: Batch,
  decisions: readonly BulkDecision[],
  game: Game,
): Promise<boolean> => {
  const extra = extraChanges?.(decisions) ?? {};
  if (decisions.length === 0 && extra.writes === undefined) return true;
  const changes = bulkChanges(decisions, game);
  const writes = [...changes.writes, ...(extra.writes ?? [])];
  try {
    await store.commit(await writesOf({ ...changes, ...extra, writes }), timeLeft);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
};

export const isDecision = (decision: BulkDecision | null): decision is BulkDecision => decision !== null;

/** The decisions for zombies by their index entries; `null` if the players must be read. */
export const decideCandidates = (
  candidates: readonly HungerEntry[],
  decide: BulkRule["decideCandidate"],
  game: Game,
): BulkDecision[] | null => {
  const decisions = candidates.map((zombie) => decide(zombie, game));
  const sufficient = decisions.filter((decision) => decision !== undefined);
  return sufficient.length < decisions.length ? null : sufficient.filter(isDecision);
};

/** The decisions for a batch, and the game that they are based on. */
interface BatchDecisions {
  decisions: BulkDecision[];
  game: Game;
}

const decideByIndex = async (
  store: Store,
  candidates: readonly HungerEntry[],
  decide: BulkRule["decideCandidate"],
): Promise<BatchDecisions | null> => {
  const game = await mapBusyToUnavailable(store.game());
  const decisions = decideCandidates(candidates, decide, game);
  return decisions && { decisions, game };
};

const decideByPlayers = async (
  store: Store,
  ids: readonly string[],
  { decide, prepare }: PlayerRule,
): Promise<BatchDecisions> => {
  const players = await mapBusyToUnavailable(store.players(ids));
  const game = await mapBusyToUnavailable(store.gameFor(await store.game(), ...players.values()));
  const found = ids.map((id) => players.get(id)).filter((player) => player !== undefined);
  await prepare?.(found, game);
  return { decisions: found.map((player) => decide(player, game)).filter(isDecision), game };
};

/**
 * Decides for one batch and commits the decisions. With `candidates`, the first attempt uses the index entries if they
 * suffice; after a conflict, the players are read.
 * @throws DomainError `unavailable` if time runs out; errors of `onConflict`
 */
export const runBatch = async (batch: Batch): Promise<BulkDecision[]> => {
  const { store, ids, rule, onConflict, timeLeft } = batch;
  for (let { candidates } = batch; ; candidates = undefined) {
    const byIndex =
      candidates !== undefined && rule.decideCandidate !== undefined
        ? await decideByIndex(store, candidates, rule.decideCandidate)
        : null;
    const { decisions, game } = byIndex ?? (await decideByPlayers(store, ids, rule));
    if (await commitDecisions(batch, decisions, game)) return decisions;
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    await onConflict?.();
  }
};

/**
 * Applies a rule to the zombies that an index returned, in batches, until time runs out.
 * @param work.onBatch called with the decisions of each committed batch
 * @returns the number of decisions, and whether every candidate was processed
 */
export const runBulk = async (
  work: Pick<Batch, "store" | "extraChanges" | "timeLeft"> & {
    rule: PlayerRule;
    onBatch: (decisions: readonly BulkDecision[]) => void;
  },
  entries: readonly HungerEntry[],
): Promise<{ done: number; complete: boolean }> => {
  let done = 0;
  for (const candidates of chunk(entries, MAX_PLAYERS_PER_BATCH)) {
    if (work.timeLeft() < BATCHES_RESERVE_MS) return { done, complete: false };
    const decisions = await runBatch({
      ...work,
      ids: candidates.map(({ player_id }) => player_id),
      candidates,
    });
    work.onBatch(decisions);
    done += decisions.length;
  }
  return { done, complete: true };
};
