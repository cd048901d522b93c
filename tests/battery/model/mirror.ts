/**
 * The table as it lies, kept without reading all of it after each step: whatever a write names is read back from the
 * engine, and nobody else writes. A whole scan says now and then that nothing was missed.
 */
import { isDeepStrictEqual } from "node:util";
import type { Database, StoredItem, Write } from "../../../lib/store/database.ts";
import type { Key } from "../../../lib/store/keys.ts";
import type { Stage } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

const keyOf = (write: Write): Key =>
  "put" in write
    ? write.put
    : "remove" in write
      ? write.remove
      : "check" in write
        ? write.check
        : write.increase;

export interface Mirror {
  /** Goes between the store and the engine, and changes nothing. */
  between: (usual: Database) => Database;
  items: () => ReadonlyMap<string, StoredItem>;
  get: (key: Key) => StoredItem | undefined;
  /** Reads back what has been written since. @returns whether that is anything */
  catchUp: () => Promise<boolean>;
  /** Takes a whole table for what lies there. */
  take: (whole: Snapshot) => void;
  /** What a whole scan finds otherwise than here. */
  missed: (s: Stage) => Promise<string[]>;
}

export const newMirror = (): Mirror => {
  let engine: Database | undefined;
  let items = new Map<string, StoredItem>();
  const touched = new Map<string, Key>();

  const touch = ({ pk, sk }: Key): void => {
    touched.set(nameOf({ pk, sk }), { pk, sk });
  };

  return {
    between(usual) {
      engine = usual;
      return {
        ...usual,
        async put(item, expectation) {
          touch(item);
          await usual.put(item, expectation);
        },
        async putOff(key, how) {
          touch(key);
          return usual.putOff(key, how);
        },
        async transact(writes, token) {
          for (const write of writes) touch(keyOf(write));
          await usual.transact(writes, token);
        },
      };
    },
    items: () => items,
    get: (key) => items.get(nameOf(key)),
    async catchUp() {
      if (touched.size === 0) return false;
      for (const name of touched.keys()) items.delete(name);
      for (const item of (await engine?.getMany([...touched.values()])) ?? []) items.set(nameOf(item), item);
      touched.clear();
      return true;
    },
    take(whole) {
      items = new Map(whole);
      touched.clear();
    },
    async missed(s) {
      const whole = await snapshot(s);
      const names = new Set([...whole.keys(), ...items.keys()]);
      return [...names].filter((name) => !isDeepStrictEqual(whole.get(name), items.get(name)));
    },
  };
};
