/** Tracks a table without scanning it after each step: records each write, and reads back items that are uncertain. */
import { isDeepStrictEqual } from "node:util";
import { expect } from "vitest";
import {
  type Database,
  type Item,
  keyOfWrite,
  type QueryPage,
  type Range,
  type StoredItem,
  type Write,
} from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { compareBytes } from "../../lib/store/lists.ts";
import { readDefinition } from "../../scripts/local/table.ts";
import type { TestEnvironment } from "../support/service.ts";
import { nameOf, restore, type Snapshot, snapshot } from "../support/snapshot.ts";

/** One in this many lists that the mirror serves is compared with the engine's. */
const LISTS_PER_CHECK = 50;

/** Whether an item holds nothing but JSON values: the engine returns those as they were put. */
const isPlain = (item: StoredItem): boolean =>
  !Object.values(item).some((value) => value instanceof Uint8Array || value instanceof Set);

/** The attributes that an index has besides keys. */
const indexed = async (index: string): Promise<readonly string[]> =>
  (await readDefinition()).GlobalSecondaryIndexes.find(({ IndexName }) => IndexName === index)?.Projection
    .NonKeyAttributes ?? [];

const pick = (item: StoredItem, fields: readonly string[]): StoredItem => ({
  ...Object.fromEntries(Object.entries(item).filter(([field]) => fields.includes(field))),
  pk: item.pk,
  sk: item.sk,
});

/** A page of a range, as the engine reads it. */
const queryItems = async (
  items: Iterable<StoredItem>,
  { index, pk, after, before, descending, only }: Range,
  limit: number,
  from?: Item,
): Promise<QueryPage> => {
  const [partition, sort] = index === undefined ? ["pk", "sk"] : [`${index}pk`, `${index}sk`];
  // Entries of an index with the same sort key are in the order of the table's keys.
  const placeOf = (item: Item): string => [item[sort], item.pk, item.sk].join("\0");
  const direction = descending === true ? -1 : 1;
  const compare = (one: string, other: string): number => direction * compareBytes(one, other);
  const start = from === undefined ? null : placeOf(from);
  const isWithin = (at: string): boolean => {
    const low = after === undefined ? 1 : compareBytes(at, after);
    const high = before === undefined ? 1 : compareBytes(before, at);
    // With two bounds the engine includes both, and readers leave them out.
    return Math.min(low, high) >= (after === undefined || before === undefined ? 1 : 0);
  };
  const found = [...items]
    .filter((item) => item[partition] === pk && isWithin(String(item[sort])))
    .map((item) => ({ item, place: placeOf(item) }))
    .filter(({ place }) => start === null || compare(place, start) > 0)
    .toSorted((one, other) => compare(one.place, other.place))
    .slice(0, limit);
  const fields = only ?? (index === undefined ? null : [partition, sort, ...(await indexed(index))]);
  const last = found.length < limit ? undefined : found.at(-1)?.item;
  return {
    items: found.map(({ item }) => (fields === null ? { ...item } : pick(item, fields))),
    next: last === undefined ? undefined : pick(last, [partition, sort]),
  };
};

/**
 * Tracks a table, as soon as its content has been set or read.
 * @param servesReads whether items are read from the mirror, because reads from the engine take most of the time. Calls
 *   must then be made one at a time
 * @param servesLists whether lists are read from the mirror too
 */
export const newMirror = ({ servesReads = false, servesLists = false } = {}) => {
  let engine: Database | undefined;
  let items = new Map<string, StoredItem>();
  let versions: StoredItem[] = [];
  let isAllUncertain = true;
  let hasMoved = false;
  let inFlight = 0;
  let lists = 0;
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

  /** Assumes that `whole` is the content of the table. */
  const take = (whole: Snapshot): void => {
    items = new Map(whole);
    versions = [];
    uncertain.clear();
    [isAllUncertain, hasMoved] = [false, false];
  };

  /** Reads back uncertain items. @returns whether anything was written since the last call */
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
    const found = names.flatMap((name) => items.get(name) ?? []);
    return found.map((item) => pick(item, options?.only ?? Object.keys(item)));
  };

  return {
    /** Wraps the database without changing what it does. */
    database(usual: Database): Database {
      engine = usual;
      return {
        ...usual,
        get: async (key, options) =>
          servesReads ? (await read([key], options))[0] : usual.get(key, options),
        getMany: (keys, options) => (servesReads ? read(keys, options) : usual.getMany(keys, options)),
        async query(range, limit, from) {
          const isKnown = servesLists && !isAllUncertain && uncertain.size === 0 && inFlight === 0;
          if (!isKnown) return usual.query(range, limit, from);
          const page = await queryItems(items.values(), range, limit, from);
          lists += 1;
          if (lists % LISTS_PER_CHECK === 0) expect(page).toEqual(await usual.query(range, limit, from));
          return page;
        },
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
    items: (): Snapshot => items,
    get: (key: Key): StoredItem | undefined => items.get(nameOf(key)),
    /** All versions of the items that were put since the content was last known. */
    versions: (): readonly StoredItem[] => versions,
    catchUp,
    take,
    /** Restores the table to an earlier state. */
    async restore(s: TestEnvironment, then: Snapshot): Promise<void> {
      await catchUp(s);
      await restore(s, then, items);
      take(then);
    },
    /** The keys of the items in which the table differs from the mirror. */
    async differences(s: TestEnvironment): Promise<string[]> {
      const whole = await snapshot(s);
      const names = new Set([...whole.keys(), ...items.keys()]);
      return [...names].filter((name) => !isDeepStrictEqual(whole.get(name), items.get(name)));
    },
  };
};
