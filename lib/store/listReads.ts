/** Reads the sharded lists of players and log entries, and adds up the counters. */
import { gameTime, latestPossiblyStarved, starvedAt } from "../domain/game/clock.ts";
import type { Game } from "../domain/game/game.ts";
import { byCounter, COUNTERS, STATE_NAMES } from "../domain/players/states.ts";
import type { Database } from "../dynamodb/database.ts";
import type { Index } from "../dynamodb/key.ts";
import { type LoadHidden, shownEntries, shownRoster } from "./hunts/hiddenOriginals.ts";
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

/** As the suffix of a game time: sorts after all keys with that time. */
const AFTER_ANY_ID = "#~";
/** The number of zombies to read at once. */
const HUNGER_PAGE_SIZE = 200;

export const listReads = (db: Database) => {
  /**
   * Zombies that have starved and whose starvation is not recorded yet. The entries come from an index and can be outdated:
   * make a write conditional on the zombie's item. @param limit the most entries to return
   */
  const dueEntries = async (
    game: Game,
    now: number,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<HungerEntry[]> => {
    const due: HungerEntry[] = [];
    const before = deadlineDigits(latestPossiblyStarved(game, now) + 1);
    const zombies = { index: "gsi2", partition: zombiesList, shards: game.shards, before } as const;
    for await (const { item } of entries(db, zombies, HUNGER_PAGE_SIZE)) {
      const entry = parseHungerEntry(item);
      if (starvedAt(game, entry, now) !== null) due.push(entry);
      if (due.length >= limit) break;
    }
    return due;
  };

  /** @param expected the approximate number of entries the caller needs @param after a position, exclusive */
  const playerEntries = (
    index: Index,
    partition: List["partition"],
    { shards }: Game,
    expected: number,
    after: string | undefined,
    loadHidden: LoadHidden | undefined,
  ): AsyncGenerator<Entry> => {
    const list = { index, partition, shards, after };
    const all = entries(db, list, expected);
    return loadHidden === undefined ? all : shownEntries(all, list, loadHidden);
  };

  return {
    dueEntries,

    /** The number of players in each state now. Starved zombies count as corpses, even before a sweep records them. */
    async counts(game: Game, now: number): Promise<Counts & { total: number }> {
      const [counters, due] = await Promise.all([
        // A page larger than a shard, so that one request reads all of it.
        readAll(db, { partition: countersList, shards: game.shards }, COUNTER_SLOTS + 1),
        dueEntries(game, now),
      ]);
      const sum = byCounter(STATE_NAMES, () => 0);
      for (const counter of counters.map(parseCounter)) {
        for (const name of COUNTERS) sum[name] += counter[name];
      }
      // Counters and the index can lag independently: do not subtract a starvation that the counters already include.
      const starved = Math.min(due.length, Math.max(0, sum.zombies));
      sum.zombies -= starved;
      sum.corpses += starved;
      return { total: COUNTERS.reduce((total, name) => total + sum[name], 0), ...sum };
    },

    /** Living zombies, the nearest deadline first. @param loadHidden reads the originals hidden from the viewer */
    hungerEntries: (
      game: Game,
      now: number,
      expected: number,
      after = `${deadlineDigits(gameTime(game, now))}${AFTER_ANY_ID}`,
      loadHidden?: LoadHidden,
    ): AsyncGenerator<Entry> => playerEntries("gsi2", zombiesList, game, expected, after, loadHidden),

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
        HUNGER_PAGE_SIZE,
      ),

    /** All accounts, ordered by folded alias. @param loadHidden as for `hungerEntries` */
    rosterEntries: (
      game: Game,
      expected: number,
      after?: string,
      loadHidden?: LoadHidden,
    ): AsyncGenerator<Entry> => playerEntries("gsi1", rosterList, game, expected, after, loadHidden),

    /** All accounts, unordered. @param loadHidden as for `hungerEntries` */
    async roster({ shards }: Game, loadHidden?: LoadHidden): Promise<RosterEntry[]> {
      const list = { index: "gsi1", partition: rosterList, shards } as const;
      const items = await readAllUnordered(db, list, ROSTER_ATTRIBUTES);
      return (loadHidden === undefined ? items : await shownRoster(items, loadHidden)).map(parseRosterEntry);
    },

    /** Players who are or were zombies, most kills first. @param loadHidden as for `hungerEntries` */
    killsEntries: (
      game: Game,
      expected: number,
      after?: string,
      loadHidden?: LoadHidden,
    ): AsyncGenerator<Entry> => playerEntries("gsi3", killsList, game, expected, after, loadHidden),

    /** Log entries, newest first. */
    logEntries: (game: Game, expected: number, before?: string): AsyncGenerator<Entry> =>
      entries(db, { partition: logsList, shards: game.shards, descending: true, before }, expected),
  };
};
