/** Undoes what requests have written, so that each of them meets the same game. */
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { type Database, keyOfWrite, type StoredItem } from "../../lib/dynamodb/database.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { writeAll } from "../../tests/support/table.ts";
import type { GameOptions } from "../support/game.ts";

interface Journal {
  /** Notes each item before it is first written; see {@link GameOptions}. */
  between: NonNullable<GameOptions["between"]>;
  /** Restores every item that was written since the last call. The first call only begins. */
  undo: () => Promise<void>;
}

/** Opens a journal of one game. Its own reads are not counted. */
export const openJournal = (): Journal => {
  const before = new Map<string, { key: Key; item: Promise<StoredItem | undefined> }>();
  let undo = async (): Promise<void> => {};
  let hasBegun = false;
  return {
    between: (usual, place) => {
      const uncounted = openDatabase(place);
      const note = async (keys: readonly Key[]): Promise<void> => {
        for (const key of hasBegun ? keys : []) {
          const name = `${key.pk}\n${key.sk}`;
          if (!before.has(name)) before.set(name, { key, item: uncounted.get(key) });
          await before.get(name)?.item;
        }
      };
      undo = async () => {
        const writes = [];
        for (const { key, item } of before.values()) {
          const stored = await item;
          const Key = { pk: key.pk, sk: key.sk };
          writes.push(stored === undefined ? { DeleteRequest: { Key } } : { PutRequest: { Item: stored } });
        }
        await writeAll(place, writes);
        before.clear();
      };
      return {
        ...usual,
        async put(item, expect) {
          await note([item]);
          await usual.put(item, expect);
        },
        async extendUntil(key, how) {
          await note([key]);
          return usual.extendUntil(key, how);
        },
        async transact(writes, token) {
          await note(writes.map(keyOfWrite));
          await usual.transact(writes, token);
        },
      } satisfies Database;
    },
    async undo() {
      await undo();
      hasBegun = true;
    },
  };
};
