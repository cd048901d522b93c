/**
 * The steps of a reset, which `npm run reset` and the job of game masters take: renewing players, removing what was played,
 * and the end. All are idempotent, and each transaction checks the mark, so that none changes the new season.
 */
import { pauseClock } from "../../domain/game/clock.ts";
import { isReadyForSeason, newSeason, resetForSeason } from "../../domain/game/season.ts";
import type { Enrolment } from "../../domain/game/settings.ts";
import { byCounter, type Counter, counterOf, STATE_NAMES, TAKING_PART } from "../../domain/players/states.ts";
import { instantOf } from "../../domain/time.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { type BulkDecision, runBatch } from "../../jobs/bulk.ts";
import { findUnfinishedReset, type ResetMark } from "../../jobs/resetJob.ts";
import { commandContext } from "../../lambda/services.ts";
import { chunk } from "../../runtime/chunk.ts";
import { type Changes, writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { idOf, parseOwner, parsePlayer } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { randomShard } from "../../store/lists.ts";
import { noCounts, type ResetCounts, withRemoved } from "../../store/seasonCounts.ts";
import { resetActionOf } from "../../store/seasonItems.ts";
import { readSeason, recapItems } from "../../store/seasons/recaps.ts";
import type { Store } from "../../store/store.ts";

/**
 * Renewing a player can take three of the 100 writes of a transaction: player, tag code, and the end of a review. Three more
 * are for the counters, the mark and the job.
 */
const PLAYERS_PER_BATCH = 32;
/** Far fewer than the 100 writes of a transaction, so that its items stay below four megabytes. */
const REMOVALS_PER_BATCH = 48;

/** Thrown when another run has finished the reset. */
export class ResetEnded extends Error {}

/** A run of a reset. */
export interface ResetRun {
  store: Store;
  mark: ResetMark;
  /** Milliseconds since 1970. */
  clock: () => number;
  timeLeft: () => number;
  /** What this reset has done so far. */
  counts: () => ResetCounts;
  /** Returns the writes that record counts, in the transaction of the work that they count. */
  record: (counts: ResetCounts) => Write[];
  /** Called when that transaction is committed. */
  recorded: (counts: ResetCounts) => void;
  /** Called after a conflict, before the work is tried again. */
  onConflict?: () => Promise<void>;
}

const expectMark = ({ at, sha256 }: ResetMark) => ({ is: { at, sha256 } });
const checkMark = (mark: ResetMark): Write => ({ check: keys.resetting, expect: expectMark(mark) });

/** @throws ResetEnded if another run has finished the reset; errors of `onConflict` */
const afterConflict = async ({ store, mark, onConflict }: ResetRun): Promise<void> => {
  const now = await mapBusyToUnavailable(findUnfinishedReset(store));
  if (now?.sha256 !== mark.sha256 || now.at !== mark.at) throw new ResetEnded();
  await onConflict?.();
};

/** Writes items as long as the reset is this run's. @throws as `afterConflict`; DomainError `unavailable` */
const commitMarked = async (run: ResetRun, writes: readonly Write[]): Promise<void> => {
  for (;;) {
    try {
      return await run.store.commit([...writes, checkMark(run.mark)], run.timeLeft);
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      await afterConflict(run);
    }
  }
};

/**
 * Stores the recap of the season that ends, before anything of it is removed. A run that is repeated finds it.
 * @throws ResetEnded; DomainError `unavailable`, errors of `onConflict`
 */
export const storeRecap = async (run: ResetRun): Promise<void> => {
  const { store, mark, timeLeft } = run;
  const { season_id: seasonId } = mark;
  if (seasonId === undefined) return;
  // Nothing is removed before the item is there that lists the season.
  if ((await mapBusyToUnavailable(readSeason(store.db, seasonId))) !== null) return;
  const game = await mapBusyToUnavailable(store.game());
  const { makeRecap } = await import("./recap.ts");
  const made = { seasonId, now: instantOf(mark.at), timeLeft, isLasting: true };
  const recap = await makeRecap(store, game, made);
  if (recap === null) return;
  // In one transaction, so that no run finds half of it. It has four megabytes, far more than any recap.
  await commitMarked(
    run,
    (await recapItems(recap)).map((put) => ({ put })),
  );
};

const removeAll = async (run: ResetRun, items: readonly StoredItem[]): Promise<void> => {
  const { counts, record, recorded } = run;
  for (const some of chunk(items, REMOVALS_PER_BATCH)) {
    const after = withRemoved(counts(), some);
    const removals = some.map(({ pk, sk }): Write => ({ remove: { pk, sk } }));
    await commitMarked(run, [...removals, ...record(after)]);
    recorded(after);
  }
};

const withRenewed = (counts: ResetCounts, decisions: readonly BulkDecision[]): ResetCounts => {
  const changes = decisions.flatMap(({ outcome }) => outcome.players);
  const humans = changes.filter(({ after }) => after?.state === "human").length;
  const watching = changes.filter(
    ({ before, after }) => after?.state !== "human" && before?.state !== "spectator",
  );
  return { ...counts, humans: counts.humans + humans, unenrolled: counts.unenrolled + watching.length };
};

const renewPlayers = async (run: ResetRun, ids: readonly string[]): Promise<boolean> => {
  const { store, mark, clock, timeLeft, counts, record, recorded } = run;
  // This machine's clock may be behind, but new codes must not look older than the season.
  const context = commandContext({ feedingPeriod: () => 0 }, Math.max(clock(), instantOf(mark.at)));
  const renewed = await runBatch({
    store,
    ids,
    timeLeft,
    rule: {
      decide: (player) => {
        if (isReadyForSeason(player, mark.at)) return null;
        const after = resetForSeason(player, randomShard(mark), context, mark.enrolment);
        return { outcome: { players: [{ before: player, after }], interactions: [] } };
      },
    },
    extraChanges: (all) =>
      all.length === 0 ? {} : { writes: [checkMark(mark), ...record(withRenewed(counts(), all))] },
    onConflict: () => afterConflict(run),
  });
  if (renewed.length > 0) recorded(withRenewed(counts(), renewed));
  return renewed.length > 0;
};

/** The codes that no player has. A human who is not renewed yet keeps the old code. */
const unusedCodes = async ({ db }: Store, codes: readonly StoredItem[]): Promise<StoredItem[]> => {
  const holders = await mapBusyToUnavailable(db.getMany(codes.map((code) => keys.player(parseOwner(code)))));
  const held = new Set(holders.map(({ tag_code }) => tag_code));
  return codes.filter((code) => !held.has(code.pk.slice(keys.code("").pk.length)));
};

/**
 * Processes a page of the table: renews its players, and removes its items of the old season.
 * @returns whether there was anything to do
 * @throws ResetEnded; DomainError `unavailable`, errors of `onConflict`
 */
export const resetItems = async (run: ResetRun, page: readonly StoredItem[]): Promise<boolean> => {
  const { store, mark } = run;
  const items = Map.groupBy(page, (item) => resetActionOf(item, mark.at));
  const stale = (items.get("player") ?? []).filter((item) => !isReadyForSeason(parsePlayer(item), mark.at));
  // The former aliases of one player may need most of the writes of a transaction.
  const [renamed = [], plain = []] = [true, false].map((hasFormer) =>
    stale.filter((item) => parsePlayer(item).former_aliases.length > 0 === hasFormer),
  );
  let found = false;
  const batches = [...chunk(plain.map(idOf), PLAYERS_PER_BATCH), ...renamed.map((item) => [idOf(item)])];
  for (const ids of batches) found = (await renewPlayers(run, ids)) || found;
  const past = [...(await unusedCodes(store, items.get("code") ?? [])), ...(items.get("past") ?? [])];
  await removeAll(run, past);
  return found || past.length > 0;
};

/**
 * Ends a reset: the last write updates the game and removes the mark.
 * @param completion returns the log entry and further writes of that transaction, for each attempt
 * @returns `false` if a game master has resumed the game meanwhile. It is then paused again, and another pass must follow
 * @throws ResetEnded; DomainError `unavailable`, errors of `onConflict`
 */
export const endReset = async (
  run: ResetRun,
  completion: () => Pick<Changes, "log" | "writes"> = () => ({}),
): Promise<boolean> => {
  const { store, mark, clock, timeLeft } = run;
  for (;;) {
    const before = await mapBusyToUnavailable(store.game());
    const isPaused = before.paused_at !== null;
    const { writes = [], ...more } = isPaused ? completion() : {};
    const changes: Changes = isPaused
      ? {
          game: { before, after: newSeason(before, mark.shards) },
          ...more,
          writes: [
            { remove: keys.resetting, expect: expectMark(mark) },
            { remove: keys.warnings },
            // Not with the items of the old season: a request for the page would write it again.
            { remove: keys.publicPage },
            ...writes,
          ],
        }
      : { game: { before, after: pauseClock(before, clock()) }, writes: [checkMark(mark)] };
    try {
      await store.commit(await writesOf(changes), timeLeft);
      return isPaused;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      await afterConflict(run);
    }
  }
};

export interface ResetPreview extends ResetCounts {
  /** The current number of players in each state. */
  counts: Record<Counter, number>;
}

export const noPreview = (): ResetPreview => ({ ...noCounts(), counts: byCounter(STATE_NAMES, () => 0) });

/** What a reset would do, with a page of the table in addition. @param at the start of the season, RFC 3339 */
export const withPreviewOf = (
  preview: ResetPreview,
  page: readonly StoredItem[],
  at: string,
  enrolment: Enrolment,
): ResetPreview => {
  const items = Map.groupBy(page, (item) => resetActionOf(item, at));
  const counts = { ...preview.counts };
  for (const item of items.get("player") ?? []) counts[counterOf(parsePlayer(item).state)] += 1;
  const players = TAKING_PART.reduce((sum, state) => sum + counts[counterOf(state)], 0);
  const [humans, unenrolled] = enrolment === "everyone" ? [players, 0] : [0, players];
  const past = [...(items.get("code") ?? []), ...(items.get("past") ?? [])];
  return { ...withRemoved(preview, past), counts, humans, unenrolled };
};
