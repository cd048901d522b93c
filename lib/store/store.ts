/** The store: what the service reads from the table, by the names of the game. */
import { ALIAS_LENGTH, foldAlias, isSameAlias } from "../domain/alias.ts";
import { type Game, gameTime, latestPossiblyStarved, NEW_GAME, starvedAt } from "../domain/clock.ts";
import type { Infection, Interaction } from "../domain/interaction.ts";
import type { Player } from "../domain/player.ts";
import type { Database, StoredItem } from "../dynamodb/database.ts";
import type { Key } from "../dynamodb/key.ts";
import { commit } from "./commit.ts";
import { type DecideOptions, decide } from "./decide.ts";
import {
  type Administrators,
  type Counts,
  type Credential,
  type HungerEntry,
  idOf,
  LISTENER_ATTRIBUTES,
  type ListenerEntry,
  type LogEntry,
  logItem,
  NAMED_ATTRIBUTES,
  type NamedEntry,
  parseAdministrators,
  parseCounter,
  parseCredential,
  parseGame,
  parseHungerEntry,
  parseInfection,
  parseInteraction,
  parseListenerEntry,
  parseNamedEntry,
  parseOwner,
  parsePicture,
  parsePlayer,
  parseRecovery,
  parseSessions,
  type Recovery,
  type Sessions,
  type StoredPicture,
} from "./items.ts";
import {
  COUNTER_SLOTS,
  countersList,
  deadlineDigits,
  infectedByList,
  infectionsList,
  interactionsList,
  keys,
  killsList,
  logsList,
  rosterList,
  zombiesList,
} from "./keys.ts";
import { type Entry, entries, type List, readAll, readAllUnordered } from "./lists.ts";

const parsed = <T>(item: StoredItem | undefined, parse: (item: StoredItem) => T): T | null =>
  item === undefined ? null : parse(item);

/** No alias that was accepted is longer when folded, in UTF-16 units; a key of the table may be 2 KB. */
const LONGEST_FOLDED = 4 * ALIAS_LENGTH.most;

/** Whether a read must see every write before it, as it does unless said; otherwise it costs half. */
export interface ReadOptions {
  consistent?: boolean;
}

/** After every sort key of this game time. */
const AFTER_ANY_ID = "#~";

/** The store of one table. */
export const openStore = (db: Database) => {
  // New entries may go to any shard there is; a count that has grown since is no fault.
  let shards = NEW_GAME.shards;

  const readGame = async (consistent: boolean): Promise<Game> => {
    const game = parsed(await db.get(keys.game, { consistent }), parseGame) ?? NEW_GAME;
    shards = game.shards;
    return game;
  };

  const player = async (id: string, how?: ReadOptions): Promise<Player | null> =>
    parsed(await db.get(keys.player(id), how), parsePlayer);

  /** Whose a guard is. Where a cheap read finds none, it may just have been written. */
  const ownerOf = async (key: Key): Promise<string | null> =>
    parsed((await db.get(key, { consistent: false })) ?? (await db.get(key)), parseOwner);

  const aliasKey = (alias: string): Key | null => {
    const folded = foldAlias(alias);
    return folded.length > LONGEST_FOLDED ? null : keys.alias(folded);
  };

  /** By one read, whether there is such a player or not: it takes as long for either. */
  const playerIdByAlias = async (alias: string): Promise<string | null> => {
    const key = aliasKey(alias);
    return key === null ? null : parsed(await db.get(key), parseOwner);
  };

  /** An interaction as it lies in the table, in whichever shard. */
  const interactionItem = async (id: string): Promise<StoredItem | undefined> => {
    const places = Array.from({ length: shards }, (_, shard) => keys.interaction(shard, id));
    const [item] = await db.getMany(places);
    return item;
  };

  const list = (options: Omit<List, "shards">, expected: number): AsyncGenerator<Entry> =>
    entries(db, { ...options, shards }, expected);

  const dueEntries = async (
    game: Game,
    now: number,
    limit = Number.POSITIVE_INFINITY,
  ): Promise<HungerEntry[]> => {
    const due: HungerEntry[] = [];
    const before = deadlineDigits(latestPossiblyStarved(game, now) + 1);
    for await (const { item } of list({ index: "gsi2", partition: zombiesList, before }, 200)) {
      const entry = parseHungerEntry(item);
      if (starvedAt(game, entry, now) !== null) due.push(entry);
      if (due.length >= limit) break;
    }
    return due;
  };

  return {
    db,
    shards: () => shards,

    /** The state of the game, as it is. */
    game: ({ consistent = true }: ReadOptions = {}) => readGame(consistent),

    /**
     * A game that no reader of these players can have overtaken: read again when one of them was written by
     * somebody who had read a newer one.
     */
    async gameFor(game: Game, ...players: (Player | null)[]): Promise<Game> {
      const newest = Math.max(0, ...players.map((one) => one?.seen ?? 0));
      return newest > game.rev ? readGame(true) : game;
    },

    player,

    /** Players by id, those that exist. */
    async players(ids: Iterable<string>, options?: { consistent?: boolean }): Promise<Map<string, Player>> {
      const items = await db.getMany([...ids].map(keys.player), options);
      return new Map(items.map((item) => [idOf(item), parsePlayer(item)]));
    },

    /** Alias and state of players that something names, by id, those that still exist. */
    async named(ids: Iterable<string>): Promise<Map<string, NamedEntry>> {
      const wanted = [...new Set(ids)].map(keys.player);
      const items = await db.getMany(wanted, { consistent: false, only: NAMED_ATTRIBUTES });
      return new Map(items.map((item) => [idOf(item), parseNamedEntry(item)]));
    },

    /** What players listen to, and as whom, by id, those that still exist. */
    async listeners(ids: Iterable<string>, { consistent = false } = {}): Promise<Map<string, ListenerEntry>> {
      const wanted = [...new Set(ids)].map(keys.player);
      const items = await db.getMany(wanted, { consistent, only: LISTENER_ATTRIBUTES });
      return new Map(items.map((item) => [idOf(item), parseListenerEntry(item)]));
    },

    /** The player who has this alias now, however it is written. */
    async playerByAlias(alias: string): Promise<Player | null> {
      const isTheirs = (found: Player | null): boolean => found !== null && isSameAlias(found.alias, alias);
      const key = aliasKey(alias);
      const id = key === null ? null : await ownerOf(key);
      if (id === null) return null;
      const found = await player(id);
      if (isTheirs(found)) return found;
      // The guard was read as it lay a moment ago: the alias is another's now, or nobody's.
      const owner = await playerIdByAlias(alias);
      const again = owner === null ? null : await player(owner);
      return isTheirs(again) ? again : null;
    },

    /** A player's picture, where there is one. */
    picture: async (id: string): Promise<StoredPicture | null> =>
      parsed(await db.get(keys.picture(id)), parsePicture),

    /** The id of whoever has this alias. */
    playerIdByAlias,

    /** Whether someone other than `self` has this alias, or one that looks like it. */
    async aliasTaken(alias: string, self: string | null): Promise<boolean> {
      const { guardKeys } = await import("./aliasGuards.ts");
      const guards = await db.getMany(guardKeys(alias));
      return guards.some((guard) => parseOwner(guard) !== self);
    },

    /** Whose tag code this is or was. */
    ownerOfCode: (code: string): Promise<string | null> => ownerOf(keys.code(code)),

    /** A player with their password and sessions, by one call. */
    async account(
      id: string,
      how?: ReadOptions,
    ): Promise<{ player: Player | null; credential: Credential | null; sessions: Sessions | null }> {
      const places = {
        player: keys.player(id),
        credential: keys.credential(id),
        sessions: keys.sessions(id),
      };
      const items = await db.getMany(Object.values(places), how);
      const at = ({ pk, sk }: Key) => items.find((item) => item.pk === pk && item.sk === sk);
      return {
        player: parsed(at(places.player), parsePlayer),
        credential: parsed(at(places.credential), parseCredential),
        sessions: parsed(at(places.sessions), parseSessions),
      };
    },

    sessions: async (id: string, how?: ReadOptions): Promise<Sessions | null> =>
      parsed(await db.get(keys.sessions(id), how), parseSessions),

    recovery: async (id: string): Promise<Recovery | null> =>
      parsed(await db.get(keys.recovery(id)), parseRecovery),

    administrators: async (): Promise<Administrators> =>
      parsed(await db.get(keys.administrators), parseAdministrators) ?? { rev: 0, ids: [] },

    /** How many players are what, now: those who have starved count as corpses, recorded or not. */
    async counts(game: Game, now: number): Promise<Counts & { total: number }> {
      const [counters, due] = await Promise.all([
        // One more than there are, so that the first page of each is known to be all of it.
        readAll(db, { partition: countersList, shards }, COUNTER_SLOTS + 1),
        dueEntries(game, now),
      ]);
      const sum = { humans: 0, zombies: 0, corpses: 0, spectators: 0 };
      for (const counter of counters.map(parseCounter)) {
        sum.humans += counter.humans;
        sum.zombies += counter.zombies;
        sum.corpses += counter.corpses;
        sum.spectators += counter.spectators;
      }
      // Counters and index may each be a moment behind: a death that one knows already is not taken off twice.
      const starved = Math.min(due.length, Math.max(0, sum.zombies));
      sum.zombies -= starved;
      sum.corpses += starved;
      return { total: sum.humans + sum.zombies + sum.corpses + sum.spectators, ...sum };
    },

    /** Zombies that have starved and are not recorded as dead yet, by an index: candidates, no verdicts. */
    dueEntries,

    /** Living zombies, hungriest first. */
    hungerEntries: (game: Game, now: number, expected: number, after?: string): AsyncGenerator<Entry> =>
      list(
        {
          index: "gsi2",
          partition: zombiesList,
          after: after ?? `${deadlineDigits(gameTime(game, now))}${AFTER_ANY_ID}`,
        },
        expected,
      ),

    /** Zombies whose deadlines are after one game time, and up to another; the nearest first. */
    hungerBetween: (after: number, upTo: number): AsyncGenerator<Entry> =>
      list(
        {
          index: "gsi2",
          partition: zombiesList,
          after: `${deadlineDigits(after)}${AFTER_ANY_ID}`,
          before: `${deadlineDigits(upTo)}${AFTER_ANY_ID}`,
        },
        200,
      ),

    /** Every account, by folded alias. */
    rosterEntries: (expected: number, after?: string): AsyncGenerator<Entry> =>
      list({ index: "gsi1", partition: rosterList, after }, expected),

    /** Everyone who is or was a zombie, most kills first. */
    killsEntries: (expected: number): AsyncGenerator<Entry> =>
      list({ index: "gsi3", partition: killsList }, expected),

    /** Interactions, newest first. */
    interactionEntries: (expected: number, before?: string): AsyncGenerator<Entry> =>
      list({ partition: interactionsList, descending: true, before }, expected),

    /** Log entries, newest first. */
    logEntries: (expected: number, before?: string): AsyncGenerator<Entry> =>
      list({ partition: logsList, descending: true, before }, expected),

    /** Every infection there was, in no order. */
    async infections(): Promise<Infection[]> {
      // The sort key says which hunts were taken back.
      const only = ["gsi1sk", "target", "at", "parent"];
      const items = await readAllUnordered(db, { index: "gsi1", partition: infectionsList, shards }, only);
      return items.map(parseInfection);
    },

    /** Alias and state of everyone who is or was a zombie, by id. */
    async everyZombie(): Promise<Map<string, NamedEntry>> {
      const zombies = { index: "gsi3", partition: killsList, shards } as const;
      const items = await readAllUnordered(db, zombies, NAMED_ATTRIBUTES);
      return new Map(items.map((item) => [idOf(item), parseNamedEntry(item)]));
    },

    /** An interaction by its id. */
    interaction: async (id: string): Promise<Interaction | null> =>
      parsed(await interactionItem(id), parseInteraction),

    interactionItem,

    /** Those whom an infection infected. */
    async infectedBy(parent: string): Promise<Infection[]> {
      const found: Infection[] = [];
      const family = { index: "gsi2" as const, partition: () => infectedByList(parent), shards: 1 };
      for await (const { item } of entries(db, family, 100)) found.push(parseInfection(item));
      return found;
    },

    /** Writes a log entry on its own, for a call that changes nothing else. */
    async log(entry: LogEntry): Promise<void> {
      await db.put(logItem(entry, Math.floor(Math.random() * shards)));
    },

    decide: (attempt: Parameters<typeof decide>[1], options: Omit<DecideOptions, "shards">) =>
      decide(db, attempt, { ...options, shards: () => shards }),

    commit: (writes: Parameters<typeof commit>[1], timeLeft: () => number) => commit(db, writes, timeLeft),
  };
};

export type Store = ReturnType<typeof openStore>;
