/** Reads of interactions and infections. */
import type { Game } from "../../domain/game/game.ts";
import type { AwardEvent } from "../../domain/hunts/awards.ts";
import { type Infection, type Interaction, isInfection } from "../../domain/hunts/interaction.ts";
import { statisticsEventOf } from "../../domain/players/statistics.ts";
import { instantOf, rfc3339, SECOND } from "../../domain/time.ts";
import type { Database, StoredItem } from "../../dynamodb/database.ts";
import {
  idOf,
  NAMED_ZOMBIE_ATTRIBUTES,
  type NamedEntry,
  parseIfFound,
  parseInfection,
  parseInteraction,
  parseNamedEntry,
} from "../items.ts";
import { infectedByList, infectionsList, interactionsList, keys, killsList } from "../keys.ts";
import { beginUnordered, type Entry, entries, readAllUnordered } from "../lists.ts";
import { AWARD_ATTRIBUTES, parseAwardEvent } from "../notifications/awardEvents.ts";

/** By how much the clocks of processes may differ. */
const CLOCK_SKEW = 10 * SECOND;

const INFECTIONS = { index: "gsi1", partition: infectionsList } as const;
/** What an infection is parsed from. The sort key marks hunts that were voided. */
const INFECTION_ATTRIBUTES = ["gsi1sk", "target", "at", "parent"];

/** Reads interactions by id and as lists, and infections for the ancestry tree. */
export const interactionReads = (db: Database) => {
  /** The stored item of an interaction. The number of shards may have grown since, so every shard is read. */
  const interactionItem = async (game: Game, id: string): Promise<StoredItem | undefined> => {
    const itemKeys = Array.from({ length: game.shards }, (_, shard) => keys.interaction(shard, id));
    const [item] = await db.getMany(itemKeys);
    return item;
  };

  return {
    interactionItem,

    interaction: async (game: Game, id: string): Promise<Interaction | null> =>
      parseIfFound(await interactionItem(game, id), parseInteraction),

    /** Interactions, newest first. */
    interactionEntries: (
      { shards }: Game,
      expected: number,
      bounds: { before?: string | undefined; after?: string | undefined } = {},
    ): AsyncGenerator<Entry> =>
      entries(db, { partition: interactionsList, shards, descending: true, ...bounds }, expected),

    /**
     * The interactions whose target is a player, newest first, back to the last infection at or before `until` that is not
     * voided. Reading stops at `from` if nothing has ended a life of the player since: then the player has not been a
     * zombie between the two instants, unless in the present life. So a false claim costs the interactions since then.
     */
    async lifeEvents(
      game: Game,
      playerId: string,
      { from, until }: { from: number; until: number },
    ): Promise<Interaction[]> {
      const found: Interaction[] = [];
      const { shards } = game;
      // A stale read could miss the end of a life that its player already shows.
      const list = { partition: interactionsList, shards, descending: true, consistent: true };
      const since = rfc3339(from - CLOCK_SKEW);
      for await (const { item } of entries(db, list, 500)) {
        if (String(item.recorded_at) < since && found.every(({ kind }) => isInfection(kind))) break;
        if (item.target !== playerId) continue;
        const event = parseInteraction(item);
        found.push(event);
        const beginsLife = isInfection(event.kind) && event.voided_by === undefined;
        if (beginsLife && instantOf(event.at) <= until) break;
      }
      return found;
    },

    /** All infections, unordered. */
    async infections({ shards }: Game): Promise<Infection[]> {
      return (await readAllUnordered(db, { ...INFECTIONS, shards }, INFECTION_ATTRIBUTES)).map(
        parseInfection,
      );
    },

    /**
     * The first thousands of infections, unordered: all infections of a game that is not very large. `rest` reads all others.
     */
    async beginInfections({ shards }: Game) {
      const begun = await beginUnordered(db, { ...INFECTIONS, shards }, INFECTION_ATTRIBUTES);
      return {
        infections: begun.items.map(parseInfection),
        isComplete: begun.isComplete,
        rest: async (): Promise<Infection[]> => (await begun.rest()).map(parseInfection),
      };
    },

    /** Alias and state of all players who are or were zombies, by id. */
    async everyZombie(game: Game): Promise<Map<string, NamedEntry>> {
      const list = { index: "gsi3", partition: killsList, shards: game.shards } as const;
      const items = await readAllUnordered(db, list, NAMED_ZOMBIE_ATTRIBUTES);
      return new Map(items.map((item) => [idOf(item), parseNamedEntry(item)]));
    },

    /** All interactions, unordered, with the fields that awards depend on. */
    async awardEvents(game: Game): Promise<AwardEvent[]> {
      const list = { partition: interactionsList, shards: game.shards };
      return (await readAllUnordered(db, list, AWARD_ATTRIBUTES)).map(parseAwardEvent);
    },

    /**
     * What awards, the tree and statistics depend on of all interactions, unordered. It is read from the table: indexes may
     * lag behind it.
     */
    async everyEvent({ shards }: Game) {
      const list = { partition: interactionsList, shards, consistent: true };
      const items = await readAllUnordered(db, list);
      return {
        events: items.map(parseAwardEvent),
        infections: items.filter(({ gsi1sk }) => gsi1sk !== undefined).map(parseInfection),
        moments: items.flatMap((item) => statisticsEventOf(parseInteraction(item)) ?? []),
      };
    },

    /** The infections whose parent is this one. */
    async infectedBy(parent: string): Promise<Infection[]> {
      const found: Infection[] = [];
      const list = { index: "gsi2" as const, partition: () => infectedByList(parent), shards: 1 };
      for await (const { item } of entries(db, list, 100)) found.push(parseInfection(item));
      return found;
    },
  };
};
