/**
 * The table as it lies, kept without reading all of it after each step: what a write puts is taken for what lies there,
 * and nobody else writes. Where it is not known what became of a write, the item is read back from the engine; a whole
 * scan at the end of each sequence says that all of it lies there so.
 */
import { isDeepStrictEqual } from "node:util";
import { type Database, keyOfWrite, type StoredItem, type Write } from "../../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../../lib/dynamodb/errors.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import type { TestEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** Whether an item holds nothing but what JSON has: the engine gives that back as it was put. */
const isPlain = (item: StoredItem): boolean =>
  !Object.values(item).some((value) => value instanceof Uint8Array || value instanceof Set);

export interface Mirror {
  /** Goes between the store and the engine, and changes nothing. */
  between: (usual: Database) => Database;
  items: () => ReadonlyMap<string, StoredItem>;
  get: (key: Key) => StoredItem | undefined;
  /** Reads back what is not known. @returns whether anything was written since the last time */
  catchUp: () => Promise<boolean>;
  /** Takes a whole table for what lies there. */
  take: (whole: Snapshot) => void;
  /** What a whole scan finds otherwise than here. */
  missed: (s: TestEnvironment) => Promise<string[]>;
}

export const newMirror = (): Mirror => {
  let engine: Database | undefined;
  let items = new Map<string, StoredItem>();
  const touched = new Map<string, Key>();
  let hasMoved = false;

  const touch = ({ pk, sk }: Key): void => {
    touched.set(nameOf({ pk, sk }), { pk, sk });
  };

  const putDown = (item: StoredItem): void => {
    // A copy, without what is undefined, as the engine keeps it.
    if (isPlain(item)) items.set(nameOf(item), JSON.parse(JSON.stringify(item)));
    else touch(item);
  };

  const takeDown = (write: Write): void => {
    if ("put" in write) putDown(write.put);
    else if ("remove" in write) items.delete(nameOf(write.remove));
    else if ("by" in write) {
      const { pk, sk } = keyOfWrite(write);
      const counted: StoredItem = { ...items.get(nameOf({ pk, sk })), pk, sk };
      const sums = Object.entries(write.by).map(([name, by]) => [name, Number(counted[name] ?? 0) + by]);
      putDown({ ...counted, ...("set" in write ? write.to : {}), ...Object.fromEntries(sums) });
    }
  };

  /** Writes, and takes down what that came to: nothing where a condition failed, and who knows what otherwise. */
  const written = async (writes: readonly Write[], work: Promise<void>): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) for (const write of writes) touch(keyOfWrite(write));
      throw error;
    }
    hasMoved = true;
    for (const write of writes) takeDown(write);
  };

  return {
    between(usual) {
      engine = usual;
      return {
        ...usual,
        put: (item, expectation) => written([{ put: item }], usual.put(item, expectation)),
        async extendUntil(key, how) {
          touch(key);
          return usual.extendUntil(key, how);
        },
        transact: (writes, token) => written(writes, usual.transact(writes, token)),
      };
    },
    items: () => items,
    get: (key) => items.get(nameOf(key)),
    async catchUp() {
      const moved = hasMoved || touched.size > 0;
      hasMoved = false;
      if (touched.size === 0) return moved;
      for (const name of touched.keys()) items.delete(name);
      for (const item of (await engine?.getMany([...touched.values()])) ?? []) items.set(nameOf(item), item);
      touched.clear();
      return moved;
    },
    take(whole) {
      items = new Map(whole);
      touched.clear();
      hasMoved = false;
    },
    async missed(s) {
      const whole = await snapshot(s);
      const names = new Set([...whole.keys(), ...items.keys()]);
      return [...names].filter((name) => !isDeepStrictEqual(whole.get(name), items.get(name)));
    },
  };
};
