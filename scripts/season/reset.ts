/**
 * Starts a new season: archives the game, renews every player, and removes what was played. A marker in the table
 * exists from the verified archive until the end, so an interrupted reset can be detected and continued. All steps
 * are idempotent.
 */
import { resolve } from "node:path";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import * as z from "zod/mini";
import { loadAwards } from "../../lib/app/hunts/awards.ts";
import { pauseClock, resumeClock } from "../../lib/domain/game/clock.ts";
import type { Game } from "../../lib/domain/game/game.ts";
import { isReadyForSeason, newSeason, resetForSeason } from "../../lib/domain/game/season.ts";
import { ENROLMENTS, type Enrolment } from "../../lib/domain/game/settings.ts";
import {
  byCounter,
  type Counter,
  counterOf,
  STATE_NAMES,
  TAKING_PART,
} from "../../lib/domain/players/states.ts";
import { instantOf, rfc3339 } from "../../lib/domain/time.ts";
import type { StoredItem, Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { runBatch } from "../../lib/jobs/bulk.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { NO_DEADLINE } from "../../lib/store/commit.ts";
import { idOf, parseOwner, parsePlayer } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { randomShard } from "../../lib/store/lists.ts";
import { openStore, type Store } from "../../lib/store/store.ts";
import { openBatchWriter } from "../archive/batches.ts";
import { rawKey } from "../archive/format.ts";
import type { RawItem } from "../archive/rawItem.ts";
import { readGame } from "../archive/read.ts";
import { scanAll } from "../archive/scan.ts";
import type { Target } from "../archive/target.ts";
import { exportGame, requireNoImport } from "../archive/write.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { resetActionOf } from "./items.ts";
import { countRemoved, noCounts, type ResetCounts } from "./resetReport.ts";

/**
 * Renewing a player can take three of the 100 writes of a transaction: player, tag code, and the end of a review. Two more
 * are for the counters and the marker.
 */
const PLAYERS_PER_BATCH = 32;
/** The table is read until nothing is left to do. If somebody plays, that never happens. */
const MAX_ROUNDS = 10;

/** The marker of an unfinished reset. */
const ResetMark = z.object({
  /** The start of the season, RFC 3339. */
  at: z.string(),
  /** The archive of the old season and its checksum. */
  file: z.string(),
  sha256: z.string(),
  shards: z.int(),
  enrolment: z._default(z.enum(ENROLMENTS), "everyone"),
});
export type ResetMark = z.infer<typeof ResetMark>;

/** Returns the marker of an unfinished reset, or `null`. */
export const findUnfinishedReset = async ({ db }: Pick<Target, "db">): Promise<ResetMark | null> => {
  const item = await db.get(keys.resetting);
  return item === undefined ? null : ResetMark.parse(item);
};

export interface ResetOptions {
  /** The archive of the old season. */
  file: string;
  /** Whether an existing file may be replaced or, when continuing, whether the archive may be missing. */
  force: boolean;
  /** The number of shards for new list entries; unchanged by default. */
  shards?: number | undefined;
  /** Who plays in the new season; by default as the settings say. */
  enrolment?: Enrolment | undefined;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Called with the number of items of each archived page. */
  onArchived?: (items: number) => void;
  /** Called when the archive is verified. */
  onArchiveVerified?: (mark: ResetMark, resumed: boolean) => void;
  /** Called with the number of items of each page that was processed. */
  onItems?: (items: number) => void;
}

/** The result of a reset; if it was continued, only of this run. */
export interface Season extends ResetCounts {
  mark: ResetMark;
}

const itemOf = (raw: RawItem): StoredItem => {
  const item: Record<string, unknown> = unmarshall(raw);
  return { ...item, pk: String(item.pk), sk: String(item.sk) };
};

/** Checks that no import or enforcement is in progress. @throws UserError */
const requireQuiet = async (target: Target, game: Game): Promise<void> => {
  await requireNoImport(target);
  if (game.enforcing !== null) {
    throw new UserError(
      `A checkpoint of ${target.name} is being enforced. Try again when that has finished.`,
    );
  }
};

/** Changes the game, conditional on the version that was read. @returns the game before the change */
const changeGame = async (
  store: Store,
  how: (game: Game) => Game,
  extraWrites: readonly Write[] = [],
): Promise<Game> => {
  for (;;) {
    const before = await store.game();
    const after = how(before);
    const game = after === before ? {} : { game: { before, after } };
    try {
      await store.commit(await writesOf({ ...game, writes: [...extraWrites] }), NO_DEADLINE);
      return before;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const marks = extraWrites.filter((write) => "remove" in write && write.expect !== undefined);
      // Either a game master changed the game, or another run has finished the reset.
      if (marks.length > 0 && (await store.db.get(keys.resetting)) === undefined) throw error;
    }
  }
};

/** Pauses the game, archives it, and writes the marker. If that fails, the game is resumed. */
const begin = async (target: Target, store: Store, options: ResetOptions): Promise<ResetMark> => {
  const { file, force, clock, onArchived } = options;
  await requireQuiet(target, await store.game());
  const before = await changeGame(store, (game) => pauseClock(game, clock()));
  const shards = options.shards ?? before.shards;
  try {
    if (shards < before.shards) {
      throw new UserError(`${target.name} has ${before.shards} shards. The number can grow, but not shrink.`);
    }
    const at = rfc3339(clock());
    const awards = await loadAwards(store, before, clock());
    const onItems = onArchived === undefined ? {} : { onItems: onArchived };
    const { sha256 } = await exportGame(target, { file, force, at, awards, withSessions: false, ...onItems });
    // Verify the archive.
    await readGame(file, () => {});
    const mark: ResetMark = {
      at: rfc3339(clock()),
      file: resolve(file),
      sha256,
      shards,
      enrolment: options.enrolment ?? before.settings.enrolment,
    };
    await target.db.put({ ...keys.resetting, ...mark }, "absent");
    return mark;
  } catch (error) {
    const isAnothers = error instanceof ConditionFailed;
    if (before.paused_at === null && !isAnothers)
      await changeGame(store, (game) => resumeClock(game, clock()));
    throw isAnothers ? new UserError(`Another reset of ${target.name} was started at the same time.`) : error;
  }
};

/** Checks that the archive still exists. @throws UserError */
const requireArchive = async ({ file, sha256 }: ResetMark): Promise<void> => {
  const again = `Restore it, or continue without it with --force`;
  let found: string;
  try {
    found = (await readGame(file, () => {})).trailer.sha256;
  } catch (error) {
    throw new UserError(`The archive of the old season is not available (${messageOf(error)}). ${again}.`);
  }
  if (found !== sha256) throw new UserError(`${file} is not the archive of this reset. ${again}.`);
};

/**
 * Processes the whole table once: renews the players, and removes the items of the old season.
 * @param done the counts, which are updated
 * @returns whether there was anything to do
 */
const processTable = async (
  target: Target,
  store: Store,
  mark: ResetMark,
  { clock, onItems = () => {} }: ResetOptions,
  done: ResetCounts,
): Promise<boolean> => {
  const { db } = target;
  let found = false;
  const isMark = { is: { at: mark.at, sha256: mark.sha256 } };
  const removing = openBatchWriter(target, () => {});
  const remove = async (item: StoredItem): Promise<void> => {
    found = true;
    await removing.add({ DeleteRequest: { Key: rawKey(item) } });
    countRemoved(done, item);
  };

  const renewPlayers = async (ids: readonly string[]): Promise<void> => {
    // This machine's clock may be behind, but new codes must not look older than the season.
    const context = commandContext({ feedingPeriod: () => 0 }, Math.max(clock(), instantOf(mark.at)));
    const renewed = await runBatch({
      store,
      ids,
      timeLeft: NO_DEADLINE,
      rule: {
        decide: (player) => {
          if (isReadyForSeason(player, mark.at)) return null;
          const after = resetForSeason(player, randomShard(mark), context, mark.enrolment);
          return { outcome: { players: [{ before: player, after }], interactions: [] } };
        },
      },
      // After another run has finished the reset, no player is renewed.
      extraChanges: (all) =>
        all.length === 0 ? {} : { writes: [{ check: keys.resetting, expect: isMark }] },
      onConflict: async () => {
        if ((await findUnfinishedReset(target))?.sha256 !== mark.sha256) throw endedError(target);
      },
    });
    found ||= renewed.length > 0;
    for (const { before, after } of renewed.flatMap(({ outcome }) => outcome.players)) {
      if (after?.state === "human") done.humans += 1;
      else if (before?.state !== "spectator") done.unenrolled += 1;
    }
  };

  /** Removes the codes that no player has. A human who is not renewed yet keeps the old code. */
  const removeCodes = async (codes: readonly StoredItem[]): Promise<void> => {
    const holders = await db.getMany(codes.map((code) => keys.player(parseOwner(code))));
    const held = new Set(holders.map(({ tag_code }) => tag_code));
    for (const code of codes) if (!held.has(code.pk.slice(keys.code("").pk.length))) await remove(code);
  };

  let last = Promise.resolve();
  const processPage = async (page: readonly RawItem[]): Promise<void> => {
    const items = Map.groupBy(page.map(itemOf), (item) => resetActionOf(item, mark.at));
    const stale = (items.get("player") ?? []).filter((item) => !isReadyForSeason(parsePlayer(item), mark.at));
    // The former aliases of one player may need most of the writes of a transaction.
    const [renamed = [], plain = []] = [true, false].map((hasFormer) =>
      stale.filter((item) => parsePlayer(item).former_aliases.length > 0 === hasFormer),
    );
    for (const ids of chunk(plain.map(idOf), PLAYERS_PER_BATCH)) await renewPlayers(ids);
    for (const item of renamed) await renewPlayers([idOf(item)]);
    await removeCodes(items.get("code") ?? []);
    for (const item of items.get("past") ?? []) await remove(item);
    onItems(page.length);
  };
  try {
    await scanAll(target, (page) => {
      // Pages are processed one after the other, because concurrent transactions on the marker would conflict.
      last = last.then(() => processPage(page));
      return last;
    });
    await removing.end();
  } finally {
    await removing.idle();
  }
  return found;
};

const endedError = ({ name }: Pick<Target, "name">): UserError =>
  new UserError(`Another run has finished this reset of ${name}. There is nothing left to do.`);

/** The last write: updates the game and removes the marker. */
const end = async (target: Target, store: Store, mark: ResetMark): Promise<void> => {
  try {
    await changeGame(store, (game) => newSeason(game, mark.shards), [
      { remove: keys.resetting, expect: { is: { at: mark.at, sha256: mark.sha256 } } },
      { remove: keys.warnings },
      // Not with the items of the old season: a request for the page would write it again.
      { remove: keys.publicPage },
    ]);
  } catch (error) {
    throw error instanceof ConditionFailed ? endedError(target) : error;
  }
};

/**
 * Starts a new season, or continues an unfinished reset.
 * @throws UserError if the game cannot be reset, the file cannot be written, or somebody plays during the reset
 */
export const resetGame = async (target: Target, options: ResetOptions): Promise<Season> => {
  const store = openStore(target.db);
  const begun = await findUnfinishedReset(target);
  if (begun !== null && !options.force) await requireArchive(begun);
  const mark = begun ?? (await begin(target, store, options));
  options.onArchiveVerified?.(mark, begun !== null);
  const done = noCounts();
  for (let round = 1; await processTable(target, store, mark, options, done); round += 1) {
    if (round === MAX_ROUNDS) {
      throw new UserError(
        `${target.name} is in use. Stop its service, and continue with --resume. The old season is in ${mark.file}.`,
      );
    }
  }
  await end(target, store, mark);
  return { mark, ...done };
};

export interface ResetPreview extends ResetCounts {
  /** The current number of players in each state. */
  counts: Record<Counter, number>;
}

/** Counts what a reset would do, and changes nothing. @param at the current time, RFC 3339 */
export const previewReset = async (
  target: Target,
  at: string,
  onItems: (items: number) => void,
  wanted?: Enrolment,
): Promise<ResetPreview> => {
  const enrolment = wanted ?? (await openStore(target.db).game()).settings.enrolment;
  const counts = byCounter(STATE_NAMES, () => 0);
  const done = noCounts();
  await scanAll(target, (page) => {
    for (const item of page.map(itemOf)) {
      const part = resetActionOf(item, at);
      if (part === "player") counts[counterOf(parsePlayer(item).state)] += 1;
      else if (part !== "kept") countRemoved(done, item);
    }
    onItems(page.length);
  });
  const players = TAKING_PART.reduce((sum, state) => sum + counts[counterOf(state)], 0);
  const [humans, unenrolled] = enrolment === "everyone" ? [players, 0] : [0, players];
  return { ...done, counts, humans, unenrolled };
};
