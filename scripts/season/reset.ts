/**
 * A new season: the game goes into a file, every player is made anew, and what was played is removed. A mark lies in the
 * table from the moment at which the file is whole until the last of it is done, so that a reset which was cut off is
 * known for one and can be gone on with; whatever is done twice is done once.
 */
import { resolve } from "node:path";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import * as z from "zod/mini";
import { type Game, pauseClock, resumeClock } from "../../lib/domain/clock.ts";
import type { State } from "../../lib/domain/player.ts";
import { asFresh, isFresh, newSeason } from "../../lib/domain/season.ts";
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
import { openStore, type Store } from "../../lib/store/store.ts";
import { openBatchWriter } from "../archive/batches.ts";
import { rawKey } from "../archive/format.ts";
import type { RawItem } from "../archive/rawItem.ts";
import { readGame } from "../archive/read.ts";
import { scanAll } from "../archive/scan.ts";
import type { Target } from "../archive/target.ts";
import { exportGame } from "../archive/write.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { partOf } from "./items.ts";
import { countRemoved, noCounts, type ResetCounts } from "./resetReport.ts";

/** Two writes for each player, and two beside: a transaction takes a hundred. */
const PLAYERS_AT_ONCE = 48;
/** The table is read until there is nothing left to do; where somebody plays on, there always is. */
const MOST_ROUNDS = 10;

/** The mark of a reset under way. */
const ResetMark = z.object({
  /** When the season begins, RFC 3339. */
  at: z.string(),
  /** Where the season before is, and what it is known by. */
  file: z.string(),
  sha256: z.string(),
  shards: z.int(),
});
export type ResetMark = z.infer<typeof ResetMark>;

/** The reset of a table that has not ended; `null` where there is none. */
export const findUnfinishedReset = async ({ db }: Pick<Target, "db">): Promise<ResetMark | null> => {
  const item = await db.get(keys.resetting);
  return item === undefined ? null : ResetMark.parse(item);
};

export interface ResetOptions {
  /** Where the season before goes. */
  file: string;
  /** Whether a file of that name may be replaced; or, going on, whether the archive may be missing. */
  force: boolean;
  /** Over how many shards new entries of lists are spread; as many as before unless said. */
  shards?: number | undefined;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Hears of each page that goes into the file. */
  onArchived?: (items: number) => void;
  /** Hears that the archive is whole. */
  onBegun?: (mark: ResetMark, resumed: boolean) => void;
  /** Hears of each page of the table that was seen to. */
  onItems?: (items: number) => void;
}

/** What a reset came to; of one that was gone on with, what this run of it has done. */
export interface Season extends ResetCounts {
  mark: ResetMark;
}

const itemOf = (raw: RawItem): StoredItem => {
  const item: Record<string, unknown> = unmarshall(raw);
  return { ...item, pk: String(item.pk), sk: String(item.sk) };
};

/** A game under way is left alone while something must end first. @throws UserError */
const requireQuiet = async ({ db, name }: Target, game: Game): Promise<void> => {
  if ((await db.get(keys.importing)) !== undefined) {
    throw new UserError(`An import into ${name} has not ended: finish it with --resume first.`);
  }
  if (game.enforcing !== null) {
    throw new UserError(`A checkpoint of ${name} is being enforced: try again when that has ended.`);
  }
};

/** Writes the game as a rule leaves it, on condition that it is as it was read. @returns what was written upon */
const changeGame = async (
  store: Store,
  how: (game: Game) => Game,
  beside: readonly Write[] = [],
): Promise<Game> => {
  for (;;) {
    const before = await store.game();
    const after = how(before);
    const game = after === before ? {} : { game: { before, after } };
    try {
      await store.commit(await writesOf({ ...game, writes: [...beside] }, before.shards), NO_DEADLINE);
      return before;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      const marks = beside.filter((write) => "remove" in write && write.expect !== undefined);
      // A command of a game master's moved the game; or another run of this has ended it.
      if (marks.length > 0 && (await store.db.get(keys.resetting)) === undefined) throw error;
    }
  }
};

/** Stops the clock, archives the game, and marks that its reset begins; the clock goes on where that fails. */
const begin = async (target: Target, store: Store, options: ResetOptions): Promise<ResetMark> => {
  const { file, force, clock, onArchived } = options;
  await requireQuiet(target, await store.game());
  const before = await changeGame(store, (game) => pauseClock(game, clock()));
  const shards = options.shards ?? before.shards;
  try {
    if (shards < before.shards) {
      throw new UserError(`${target.name} has ${before.shards} shards: there can be more, and never fewer.`);
    }
    const at = rfc3339(clock());
    const onItems = onArchived === undefined ? {} : { onItems: onArchived };
    const { sha256 } = await exportGame(target, { file, force, at, withSessions: false, ...onItems });
    // What cannot be read again is no archive.
    await readGame(file, () => {});
    const mark: ResetMark = { at: rfc3339(clock()), file: resolve(file), sha256, shards };
    await target.db.put({ ...keys.resetting, ...mark }, "absent");
    return mark;
  } catch (error) {
    const isAnothers = error instanceof ConditionFailed;
    if (before.paused_at === null && !isAnothers)
      await changeGame(store, (game) => resumeClock(game, clock()));
    throw isAnothers ? new UserError(`Another reset of ${target.name} has begun meanwhile.`) : error;
  }
};

/** Passes when the season before still lies in its file. @throws UserError */
const requireArchive = async ({ file, sha256 }: ResetMark): Promise<void> => {
  const again = `put it back, or go on without it with --force`;
  let found: string;
  try {
    found = (await readGame(file, () => {})).trailer.sha256;
  } catch (error) {
    throw new UserError(`The season before is not to be had any more: ${messageOf(error)} (${again})`);
  }
  if (found !== sha256) throw new UserError(`${file} is not the archive of this reset: ${again}.`);
};

/**
 * One look at the whole table: whatever is not of the new season yet is made so.
 * @param done is added to
 * @returns whether there was anything to do
 */
const seeTo = async (
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

  const makeAnew = async (ids: readonly string[]): Promise<void> => {
    // A clock that is behind the one that began must not give codes of the season before.
    const moment = commandContext({ period: 0 }, Math.max(clock(), instantOf(mark.at)));
    const judged = await runBatch({
      store,
      ids,
      timeLeft: NO_DEADLINE,
      judge: (player) => {
        if (isFresh(player, mark.at)) return null;
        const after = asFresh(player, Math.floor(Math.random() * mark.shards), moment);
        return { outcome: { players: [{ before: player, after }], interactions: [] } };
      },
      // Nobody is made anew any more once another run has ended it.
      beside: (all) => (all.length === 0 ? {} : { writes: [{ check: keys.resetting, expect: isMark }] }),
      onMoved: async () => {
        if ((await findUnfinishedReset(target))?.sha256 !== mark.sha256) throw ENDED(target);
      },
    });
    found ||= judged.length > 0;
    done.humans += judged.filter(({ outcome }) => outcome.players[0]?.after?.state === "human").length;
  };

  /** A code whose human is of the new season, or who has not been seen to yet, stays. */
  const removeCodes = async (codes: readonly StoredItem[]): Promise<void> => {
    const holders = await db.getMany(codes.map((code) => keys.player(parseOwner(code))));
    const held = new Set(holders.map(({ tag_code }) => tag_code));
    for (const code of codes) if (!held.has(code.pk.slice(keys.code("").pk.length))) await remove(code);
  };

  let last = Promise.resolve();
  const seeToPage = async (page: readonly RawItem[]): Promise<void> => {
    const items = Map.groupBy(page.map(itemOf), (item) => partOf(item, mark.at));
    const stale = (items.get("player") ?? []).filter((item) => !isFresh(parsePlayer(item), mark.at));
    for (const ids of chunk(stale.map(idOf), PLAYERS_AT_ONCE)) await makeAnew(ids);
    await removeCodes(items.get("code") ?? []);
    for (const item of items.get("past") ?? []) await remove(item);
    onItems(page.length);
  };
  try {
    await scanAll(target, (page) => {
      // One after the other: all of them hold the mark, and transactions that meet would be refused.
      last = last.then(() => seeToPage(page));
      return last;
    });
    await removing.end();
  } finally {
    await removing.idle();
  }
  return found;
};

const ENDED = ({ name }: Pick<Target, "name">): UserError =>
  new UserError(`Another run has ended this reset of ${name}: there is nothing left to do.`);

/** The last write: the game of the new season, and the end of the mark. */
const end = async (target: Target, store: Store, mark: ResetMark): Promise<void> => {
  try {
    await changeGame(store, (game) => newSeason(game, mark.shards), [
      { remove: keys.resetting, expect: { is: { at: mark.at, sha256: mark.sha256 } } },
      { remove: keys.warned },
    ]);
  } catch (error) {
    throw error instanceof ConditionFailed ? ENDED(target) : error;
  }
};

/**
 * Begins a new season, or goes on with one that was begun.
 * @throws UserError when the game is not to be had, the file cannot be written, or somebody plays on
 */
export const resetGame = async (target: Target, options: ResetOptions): Promise<Season> => {
  const store = openStore(target.db);
  const begun = await findUnfinishedReset(target);
  if (begun !== null && !options.force) await requireArchive(begun);
  const mark = begun ?? (await begin(target, store, options));
  options.onBegun?.(mark, begun !== null);
  await store.game();
  const done = noCounts();
  for (let round = 1; await seeTo(target, store, mark, options, done); round += 1) {
    if (round === MOST_ROUNDS) {
      throw new UserError(
        `Somebody uses ${target.name} meanwhile: stop its service, and go on with --resume. The season before is in ${mark.file}.`,
      );
    }
  }
  await end(target, store, mark);
  return { mark, ...done };
};

/** What a reset would do. */
export interface ResetPreview extends ResetCounts {
  /** How many players are in each state now. */
  states: Record<State, number>;
}

/** Looks, and changes nothing. @param at now, RFC 3339 */
export const previewReset = async (
  target: Target,
  at: string,
  onItems: (items: number) => void,
): Promise<ResetPreview> => {
  const states = { human: 0, zombie: 0, corpse: 0, spectator: 0 };
  const done = noCounts();
  await scanAll(target, (page) => {
    for (const item of page.map(itemOf)) {
      const part = partOf(item, at);
      if (part === "player") states[parsePlayer(item).state] += 1;
      else if (part !== "kept") countRemoved(done, item);
    }
    onItems(page.length);
  });
  return { ...done, states, humans: states.human + states.zombie + states.corpse };
};
