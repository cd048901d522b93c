/**
 * Knows the content of a table without scanning it after each step: it records every write, and reads back the items
 * whose content is uncertain.
 */
import { isDeepStrictEqual } from "node:util";
import { type Database, keyOfWrite, type StoredItem, type Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import type { TestEnvironment } from "../support/service.ts";
import { restore, type Snapshot, snapshot } from "../support/snapshot.ts";

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** Whether an item holds nothing but JSON values: the engine returns those as they were put. */
const isPlain = (item: StoredItem): boolean =>
  !Object.values(item).some((value) => value instanceof Uint8Array || value instanceof Set);

export interface Mirror {
  /** Wraps the database without changing what it does. */
  database: (usual: Database) => Database;
  items: () => Snapshot;
  get: (key: Key) => StoredItem | undefined;
  /** All versions of the items that were put since the content was last known. */
  versions: () => readonly StoredItem[];
  /** Reads back uncertain items. @returns whether anything was written since the last call */
  catchUp: (s: TestEnvironment) => Promise<boolean>;
  /** Assumes that `whole` is the content of the table. */
  take: (whole: Snapshot) => void;
  /** Restores the table to an earlier state. */
  restore: (s: TestEnvironment, then: Snapshot) => Promise<void>;
  /** The keys of the items in which the table differs from the mirror. */
  differences: (s: TestEnvironment) => Promise<string[]>;
}

/**
 * @param servesReads whether items are read from the mirror instead of from the engine, which takes most of the time.
 *   Only where calls are made one at a time
 */
export const newMirror = ({ servesReads = false } = {}): Mirror => {
  let engine: Database | undefined;
  let items = new Map<string, StoredItem>();
  let versions: StoredItem[] = [];
  let isAllUncertain = true;
  let hasMoved = false;
  let inFlight = 0;
  const uncertain = new Map<string, Key>();

  const doubt = ({ pk, sk }: Key): void => {
    uncertain.set(nameOf({ pk, sk }), { pk, sk });
  };

  const put = (item: StoredItem): void => {
    // A copy without undefined fields, as the engine stores it.
    if (isPlain(item)) items.set(nameOf(item), JSON.parse(JSON.stringify(item)));
    else doubt(item);
  };

  const apply = (write: Write): void => {
    if ("put" in write) put(write.put);
    else if ("remove" in write) items.delete(nameOf(write.remove));
    else if ("by" in write) {
      const { pk, sk } = keyOfWrite(write);
      const before: StoredItem = { ...items.get(nameOf({ pk, sk })), pk, sk };
      const sums = Object.entries(write.by).map(([name, by]) => [name, Number(before[name] ?? 0) + by]);
      put({ ...before, ...("set" in write ? write.to : {}), ...Object.fromEntries(sums) });
    }
  };

  const follow = async (writes: readonly Write[], work: () => Promise<void>): Promise<void> => {
    for (const write of writes) if ("put" in write) versions.push(write.put);
    // The order of two concurrent writes is unknown.
    let isAlone = inFlight === 0;
    inFlight += 1;
    try {
      await work();
    } catch (error) {
      // A failed condition has changed nothing; anything else may have.
      if (!(error instanceof ConditionFailed)) for (const write of writes) doubt(keyOfWrite(write));
      throw error;
    } finally {
      isAlone &&= inFlight === 1;
      inFlight -= 1;
    }
    hasMoved = true;
    for (const write of writes) {
      if (isAlone) apply(write);
      else if (!("check" in write)) doubt(keyOfWrite(write));
    }
  };

  const take = (whole: Snapshot): void => {
    items = new Map(whole);
    versions = [];
    uncertain.clear();
    [isAllUncertain, hasMoved] = [false, false];
  };

  const catchUp = async (s: TestEnvironment): Promise<boolean> => {
    const moved = hasMoved || uncertain.size > 0 || isAllUncertain;
    hasMoved = false;
    if (isAllUncertain) items = new Map(await snapshot(s));
    else if (uncertain.size > 0) {
      for (const name of uncertain.keys()) items.delete(name);
      for (const item of (await engine?.getMany([...uncertain.values()])) ?? [])
        items.set(nameOf(item), item);
    }
    uncertain.clear();
    isAllUncertain = false;
    return moved;
  };

  const read: Database["getMany"] = async (keys, options) => {
    const names = [...new Set(keys.map(nameOf))];
    if (!servesReads || isAllUncertain || names.some((name) => uncertain.has(name)))
      return engine?.getMany(keys, options) ?? [];
    return names.flatMap((name) => {
      const item = items.get(name);
      if (item === undefined) return [];
      const { only = Object.keys(item) } = options ?? {};
      const { pk, sk } = item;
      return [
        {
          ...Object.fromEntries(only.flatMap((field) => (field in item ? [[field, item[field]]] : []))),
          pk,
          sk,
        },
      ];
    });
  };

  return {
    database(usual) {
      engine = usual;
      return {
        ...usual,
        get: async (key, options) =>
          servesReads ? (await read([key], options))[0] : usual.get(key, options),
        getMany: (keys, options) => (servesReads ? read(keys, options) : usual.getMany(keys, options)),
        put: (item, expect) => follow([{ put: item }], () => usual.put(item, expect)),
        async extendUntil(key, how) {
          doubt(key);
          return usual.extendUntil(key, how);
        },
        transact: (writes, token) => follow(writes, () => usual.transact(writes, token)),
        async execute(statement, options) {
          isAllUncertain ||= !/^SELECT /.test(statement.text("t"));
          return usual.execute(statement, options);
        },
      };
    },
    items: () => items,
    get: (key) => items.get(nameOf(key)),
    versions: () => versions,
    catchUp,
    take,
    async restore(s, then) {
      await catchUp(s);
      await restore(s, then, items);
      take(then);
    },
    async differences(s) {
      const whole = await snapshot(s);
      const names = new Set([...whole.keys(), ...items.keys()]);
      return [...names].filter((name) => !isDeepStrictEqual(whole.get(name), items.get(name)));
    },
  };
};
