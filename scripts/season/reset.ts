/**
 * Starts a new season: archives the game, renews every player, and removes what was played. A marker in the table
 * exists from the verified archive until the end, so an interrupted reset can be detected and continued. All steps
 * are idempotent.
 */
import { resolve } from "node:path";
import { v7 } from "uuid";
import {
  endReset,
  noPreview,
  ResetEnded,
  type ResetPreview,
  type ResetRun,
  resetItems,
  storeRecap,
  withPreviewOf,
} from "../../lib/app/game/resetPass.ts";
import { loadAwards } from "../../lib/app/hunts/awards.ts";
import { pauseClock, resumeClock } from "../../lib/domain/game/clock.ts";
import { requireNoGrace } from "../../lib/domain/game/finish.ts";
import type { Game } from "../../lib/domain/game/game.ts";
import type { Enrolment } from "../../lib/domain/game/settings.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import type { Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { itemOfRaw } from "../../lib/dynamodb/rawItem.ts";
import { findUnfinishedReset, type ResetMark } from "../../lib/jobs/resetJob.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { NO_DEADLINE } from "../../lib/store/commit.ts";
import { keys } from "../../lib/store/keys.ts";
import { noCounts, type ResetCounts } from "../../lib/store/seasonCounts.ts";
import { openStore, type Store } from "../../lib/store/store.ts";
import { readGame } from "../archive/read.ts";
import { scanAll } from "../archive/scan.ts";
import type { Target } from "../archive/target.ts";
import { exportGame, requireNoImport } from "../archive/write.ts";
import { messageOf, UserError } from "../cli/userError.ts";

/** The table is read until nothing is left to do. If somebody plays, that never happens. */
const MAX_ROUNDS = 10;

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

/** Where the old season is, for messages. */
export const describeArchive = ({ file, job_id }: ResetMark): string =>
  job_id === undefined
    ? `The old season is in ${file}.`
    : "A game master has begun it on the page, where its archive could be saved.";

/** Checks that no import or enforcement is in progress, and no result waits for its time. @throws UserError */
const requireQuiet = async (target: Target, game: Game, now: number): Promise<void> => {
  await requireNoImport(target);
  if (game.enforcing !== null) {
    throw new UserError(
      `A checkpoint of ${target.name} is being enforced. Try again when that has finished.`,
    );
  }
  try {
    requireNoGrace(game, now);
  } catch (error) {
    throw new UserError(messageOf(error));
  }
};

/** Changes the game, conditional on the version that was read. @returns the game before the change */
const changeGame = async (store: Store, how: (game: Game) => Game): Promise<Game> => {
  for (;;) {
    const before = await store.game();
    const after = how(before);
    if (after === before) return before;
    try {
      await store.commit(await writesOf({ game: { before, after } }), NO_DEADLINE);
      return before;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};

/** Pauses the game, archives it, and writes the marker. If that fails, the game is resumed. */
const begin = async (target: Target, store: Store, options: ResetOptions): Promise<ResetMark> => {
  const { file, force, clock, onArchived } = options;
  await requireQuiet(target, await store.game(), clock());
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
      season_id: before.finish?.season_id ?? v7(),
    };
    const now = await store.game();
    if (JSON.stringify(now.finish) !== JSON.stringify(before.finish))
      throw new UserError(
        `A game master has finished or reopened the season of ${target.name} while its archive was written. Begin again, for an archive that has that.`,
      );
    // With the game, so that a finish that is being decided is decided again.
    const put: Write = { put: { ...keys.resetting, ...mark }, expect: "absent" };
    await store.commit(await writesOf({ game: { before: now, after: now }, writes: [put] }), NO_DEADLINE);
    return mark;
  } catch (error) {
    const isAnothers = error instanceof ConditionFailed;
    if (before.paused_at === null && !isAnothers)
      await changeGame(store, (game) => resumeClock(game, clock()));
    throw isAnothers
      ? new UserError(`The game of ${target.name}, or another reset of it, was changed at the same time.`)
      : error;
  }
};

/** Checks that the archive still exists. @throws UserError */
const requireArchive = async ({ file, sha256, job_id }: ResetMark): Promise<void> => {
  // A game master has begun it, and may have saved an archive elsewhere.
  if (job_id !== undefined) return;
  const again = `Restore it, or continue without it with --force`;
  let found: string;
  try {
    found = (await readGame(file, () => {})).trailer.sha256;
  } catch (error) {
    throw new UserError(`The archive of the old season is not available (${messageOf(error)}). ${again}.`);
  }
  if (found !== sha256) throw new UserError(`${file} is not the archive of this reset. ${again}.`);
};

/** Checks that what is asked for is what the reset has begun with. @throws UserError */
const requireSameChoices = (mark: ResetMark, options: ResetOptions): void => {
  for (const name of ["enrolment", "shards"] as const)
    if (options[name] !== undefined && options[name] !== mark[name])
      throw new UserError(
        `The reset began with --${name} ${mark[name]}, and can only be continued with that. Leave out --${name}.`,
      );
};

/**
 * Processes the whole table once: renews the players, and removes the items of the old season.
 * @returns whether there was anything to do
 */
const processTable = async (target: Target, run: ResetRun, { onItems }: ResetOptions): Promise<boolean> => {
  let found = false;
  let last = Promise.resolve();
  await scanAll(target, (page) => {
    // Pages are processed one after the other, because concurrent transactions on the mark would conflict.
    last = last.then(async () => {
      found = (await resetItems(run, page.map(itemOfRaw))) || found;
      onItems?.(page.length);
    });
    return last;
  });
  return found;
};

/**
 * Starts a new season, or continues an unfinished reset.
 * @throws UserError if the game cannot be reset, the file cannot be written, or somebody plays during the reset
 */
export const resetGame = async (target: Target, options: ResetOptions): Promise<Season> => {
  const store = openStore(target.db);
  const begun = await findUnfinishedReset(target);
  if (begun !== null) requireSameChoices(begun, options);
  if (begun !== null && !options.force) await requireArchive(begun);
  const mark = begun ?? (await begin(target, store, options));
  options.onArchiveVerified?.(mark, begun !== null);
  let done = noCounts();
  const run: ResetRun = {
    ...{ store, mark, clock: options.clock, timeLeft: NO_DEADLINE },
    counts: () => done,
    record: () => [],
    recorded: (counts) => {
      done = counts;
    },
  };
  try {
    await storeRecap(run);
    for (let round = 1; (await processTable(target, run, options)) || !(await endReset(run)); round += 1) {
      if (round < MAX_ROUNDS) continue;
      throw new UserError(
        `${target.name} is in use. Stop its service, and continue with --resume. ${describeArchive(mark)}`,
      );
    }
  } catch (error) {
    if (!(error instanceof ResetEnded)) throw error;
    throw new UserError(
      `Another run has finished this reset of ${target.name}. There is nothing left to do.`,
    );
  }
  return { mark, ...done };
};

/** Counts what a reset would do, and changes nothing. @param at the current time, RFC 3339 */
export const previewReset = async (
  target: Target,
  at: string,
  onItems: (items: number) => void,
  wanted?: Enrolment,
): Promise<ResetPreview> => {
  const enrolment = wanted ?? (await openStore(target.db).game()).settings.enrolment;
  let preview = noPreview();
  await scanAll(target, (page) => {
    preview = withPreviewOf(preview, page.map(itemOfRaw), at, enrolment);
    onItems(page.length);
  });
  return preview;
};
