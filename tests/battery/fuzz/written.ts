/** A database under which is written down what is written: to look at it, and to take it back. */
import { type Database, keyOfWrite, type StoredItem } from "../../../lib/dynamodb/database.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import type { TestEnvironment } from "../../support/service.ts";
import { restore, type Snapshot } from "../../support/snapshot.ts";

/** What has been written since the last time that it was taken back. */
export interface Written {
  database: (usual: Database) => Database;
  /** Every item, in each form in which it was written. */
  items: () => readonly StoredItem[];
  /** Puts a table back to how it lay. */
  takeBack: (s: Pick<TestEnvironment, "place">, then: Snapshot) => Promise<void>;
}

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

export const writtenDown = (): Written => {
  let items: StoredItem[] = [];
  let touched = new Map<string, StoredItem>();
  let byStatement = false;
  const touch = (key: Key, item?: StoredItem): void => {
    touched.set(nameOf(key), { pk: key.pk, sk: key.sk });
    if (item !== undefined) items.push(item);
  };
  return {
    database: (usual) => ({
      ...usual,
      async put(item, expect) {
        touch(item, item);
        await usual.put(item, expect);
      },
      async extendUntil(key, how) {
        touch(key);
        return usual.extendUntil(key, how);
      },
      async transact(writes, token) {
        for (const write of writes) {
          if ("put" in write) touch(write.put, write.put);
          else if (!("check" in write)) touch(keyOfWrite(write));
        }
        await usual.transact(writes, token);
      },
      async execute(statement, options) {
        byStatement ||= !/^SELECT /.test(statement.text("t"));
        return usual.execute(statement, options);
      },
    }),
    items: () => items,
    async takeBack(s, then) {
      const [keys, isKnown] = [touched, !byStatement];
      [items, touched, byStatement] = [[], new Map(), false];
      // What a statement wrote to, nobody has written down: the whole table is looked at.
      if (!isKnown) return restore(s, then);
      const now = new Map(then);
      for (const [name, key] of keys) {
        if (then.has(name)) now.delete(name);
        else now.set(name, key);
      }
      await restore(s, then, now);
    },
  };
};
