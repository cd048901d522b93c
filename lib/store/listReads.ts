/** Reads of the sharded lists of players and log entries, and of the counters. */
import { type Game, gameTime, latestPossiblyStarved, starvedAt } from "../domain/clock.ts";
import { COUNTERS, forEachCounter } from "../domain/player.ts";
import type { Database } from "../dynamodb/database.ts";
import type { Index } from "../dynamodb/key.ts";
import { type LoadHidden, shownEntries, shownRoster } from "./hiddenOriginals.ts";
import {
  type Counts,
  type HungerEntry,
  parseCounter,
  parseHungerEntry,
  parseRosterEntry,
  ROSTER_ATTRIBUTES,
  type RosterEntry,
} from "./items.ts";
import {
  COUNTER_SLOTS,
  countersList,
  deadlineDigits,
  killsList,
  logsList,
  rosterList,
  zombiesList,
} from "./keys.ts";
import { type Entry, entries, type List, readAll, readAllUnordered } from "./lists.ts";

/** Sorts after every sort key of the same game time. */
const AFTER_ANY_ID = "#~";

/** Reads the lists of players, zombies, kills and log entries, and adds up the counters. */
export const listReads = (db: Database) => {
  /**
   * Zombies that have starved and whose starvation is not recorded yet. They come from an index, so they are candidates:
   * check each item before acting on it.
   */
  const dueEntries = async (
    game: Game,
    now: number,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<HungerEntry[]> => {
    const due: HungerEntry[] = [];
    const before = deadlineDigits(latestPossiblyStarved(game, now) + 1);
    const zombies = { index: "gsi2", partition: zombiesList, shards: game.shards, before } as const;
    for await (const { item } of entries(db, zombies, 200)) {
      const entry = parseHungerEntry(item);
      if (starvedAt(game, entry, now) !== null) due.push(entry);
      if (due.length >= limit) break;
    }
    return due;
  };

  const playerEntries = (
    index: Index,
    partition: List["partition"],
    { shards }: Game,
    expected: number,
    after: string | undefined,
    hidden: LoadHidden | undefined,
  ): AsyncGenerator<Entry> => {
    const list = { index, partition, shards, after };
    const all = entries(db, list, expected);
    return hidden === undefined ? all : shownEntries(all, list, hidden);
  };

  return {
    dueEntries,

    /** The number of players in each state now. Starved zombies count as corpses, also before a sweep records them. */
    async counts(game: Game, now: number): Promise<Counts & { total: number }> {
      const [counters, due] = await Promise.all([
        // One more than there are slots, so that one page per shard is known to be complete.
        readAll(db, { partition: countersList, shards: game.shards }, COUNTER_SLOTS + 1),
        dueEntries(game, now),
      ]);
      const sum = forEachCounter(0);
      for (const counter of counters.map(parseCounter)) {
        for (const name of COUNTERS) sum[name] += counter[name];
      }
      // Counters and index can lag independently: do not subtract a starvation that the counters already include.
      const starved = Math.min(due.length, Math.max(0, sum.zombies));
      sum.zombies -= starved;
      sum.corpses += starved;
      return { total: COUNTERS.reduce((total, name) => total + sum[name], 0), ...sum };
    },

    /** Living zombies, the nearest deadline first. @param hidden who is shown as others see them */
    hungerEntries: (
      game: Game,
      now: number,
      expected: number,
      after = `${deadlineDigits(gameTime(game, now))}${AFTER_ANY_ID}`,
      hidden?: LoadHidden,
    ): AsyncGenerator<Entry> => playerEntries("gsi2", zombiesList, game, expected, after, hidden),

    /** Zombies with deadlines after one game time and up to another, the nearest deadline first. */
    hungerBetween: (game: Game, after: number, upTo: number): AsyncGenerator<Entry> =>
      entries(
        db,
        {
          index: "gsi2",
          partition: zombiesList,
          shards: game.shards,
          after: `${deadlineDigits(after)}${AFTER_ANY_ID}`,
          before: `${deadlineDigits(upTo)}${AFTER_ANY_ID}`,
        },
        200,
      ),

    /** All accounts, by folded alias. @param hidden who is shown as others see them */
    rosterEntries: (
      game: Game,
      expected: number,
      after?: string,
      hidden?: LoadHidden,
    ): AsyncGenerator<Entry> => playerEntries("gsi1", rosterList, game, expected, after, hidden),

    /** All accounts, unordered. @param hidden who is shown as others see them */
    async roster({ shards }: Game, hidden?: LoadHidden): Promise<RosterEntry[]> {
      const list = { index: "gsi1", partition: rosterList, shards } as const;
      const items = await readAllUnordered(db, list, ROSTER_ATTRIBUTES);
      return (hidden === undefined ? items : await shownRoster(items, hidden)).map(parseRosterEntry);
    },

    /** Players who are or were zombies, most kills first. @param hidden who is shown as others see them */
    killsEntries: (
      game: Game,
      expected: number,
      after?: string,
      hidden?: LoadHidden,
    ): AsyncGenerator<Entry> => playerEntries("gsi3", killsList, game, expected, after, hidden),

    /** Log entries, newest first. */
    logEntries: (game: Game, expected: number, before?: string): AsyncGenerator<Entry> =>
      entries(db, { partition: logsList, shards: game.shards, descending: true, before }, expected),
  };
};
