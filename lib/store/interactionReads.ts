/** Reads of interactions and infections. */

import type { AwardEvent } from "../domain/awards.ts";
import type { Game } from "../domain/game.ts";
import { type Infection, type Interaction, isInfection } from "../domain/interaction.ts";
import { instantOf } from "../domain/time.ts";
import type { Database, StoredItem } from "../dynamodb/database.ts";
import {
  AWARD_ATTRIBUTES,
  idOf,
  NAMED_ZOMBIE_ATTRIBUTES,
  type NamedEntry,
  parseAwardEvent,
  parseIfFound,
  parseInfection,
  parseInteraction,
  parseNamedEntry,
} from "./items.ts";
import { infectedByList, infectionsList, interactionsList, keys, killsList } from "./keys.ts";
import { type Entry, entries, readAllUnordered } from "./lists.ts";

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
     * The interactions whose target is a player, newest first, back to the last infection at or before an instant that
     * is not voided. If there is none, all interactions of the game are read.
     */
    async lifeEvents(game: Game, playerId: string, at: number): Promise<Interaction[]> {
      const found: Interaction[] = [];
      const list = { partition: interactionsList, shards: game.shards, descending: true };
      for await (const { item } of entries(db, list, 500)) {
        if (item.target !== playerId) continue;
        const event = parseInteraction(item);
        found.push(event);
        const beginsLife = isInfection(event.kind) && event.voided_by === undefined;
        if (beginsLife && instantOf(event.at) <= at) break;
      }
      return found;
    },

    /** All infections, unordered. */
    async infections(game: Game): Promise<Infection[]> {
      // The sort key marks hunts that were voided.
      const only = ["gsi1sk", "target", "at", "parent"];
      const list = { index: "gsi1", partition: infectionsList, shards: game.shards } as const;
      return (await readAllUnordered(db, list, only)).map(parseInfection);
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

    /** The infections whose parent is this one. */
    async infectedBy(parent: string): Promise<Infection[]> {
      const found: Infection[] = [];
      const list = { index: "gsi2" as const, partition: () => infectedByList(parent), shards: 1 };
      for await (const { item } of entries(db, list, 100)) found.push(parseInfection(item));
      return found;
    },
  };
};
