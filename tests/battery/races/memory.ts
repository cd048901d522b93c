/**
 * A memory of the table, between the operations and the engine. Thousands of schedules read the same items again, as the
 * table was put back or as the last write has left them: that need not be asked of the engine each time. Every write is
 * carried out and judged by the engine. Whatever was written to is read from it at the end of each run, and some of the
 * rest in between; it must all lie as it was remembered.
 */
import { isDeepStrictEqual } from "node:util";
import {
  type Database,
  keyOfWrite,
  type QueryPage,
  type StoredItem,
  type Write,
} from "../../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../../lib/dynamodb/errors.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import type { Snapshot } from "../../support/snapshot.ts";
import { matters, readRange, type Touches, transaction } from "./turns.ts";

/** One in so many answers from memory is held against the engine's. */
const HELD_AGAINST = 50;

interface List {
  page: QueryPage;
  touches: Touches;
}

interface Memory {
  /** The database for the operations; without a memory until it is told how the table lies. */
  db: Database;
  /** Says that the table lies like this. */
  begin: (then: Snapshot) => void;
  /** How the table lies now: only what was written to can be different. */
  look: () => Promise<Snapshot>;
}

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

const byName = (items: readonly StoredItem[]): Map<string, StoredItem> =>
  new Map(items.map((item) => [nameOf(item), item]));

const projected = (item: StoredItem, only: readonly string[] | undefined): StoredItem => {
  if (only === undefined) return item;
  const { pk, sk } = item;
  const some = Object.entries(item).filter(([name]) => only.includes(name));
  return { ...Object.fromEntries(some), pk, sk };
};

/** An item as it comes back. */
const asStored = ({ pk, sk, ...rest }: StoredItem): StoredItem => ({
  ...JSON.parse(JSON.stringify(rest)),
  pk,
  sk,
});

const same = (remembered: unknown, read: unknown, what: string): void => {
  if (!isDeepStrictEqual(remembered, read)) throw new Error(`this lies otherwise than remembered: ${what}`);
};

/**
 * A database with a memory.
 * @param look reads items from the table as they lie
 */
export const remembering = (db: Database, look: (keys: readonly Key[]) => Promise<StoredItem[]>): Memory => {
  let then: Snapshot | undefined;
  /** Pages of lists in a table that lies as it was put back. */
  const pagesThen = new WeakMap<Snapshot, Map<string, List>>();
  const written = new Map<string, Key>();
  /** What has been read since it was written to. */
  const items = new Map<string, StoredItem | undefined>();
  let pages = new Map<string, List>();
  let answers = 0;

  const isHeldAgainst = (): boolean => {
    answers += 1;
    return answers % HELD_AGAINST === 0;
  };

  const isKnown = (name: string): boolean => then !== undefined && (items.has(name) || !written.has(name));
  const itemOf = (name: string): StoredItem | undefined =>
    items.has(name) ? items.get(name) : then?.get(name);

  /** Carries out writes, and remembers what they leave. */
  const carryOut = async <T>(writes: readonly Write[], call: () => Promise<T>): Promise<T> => {
    const changing = writes.filter((write) => !("check" in write));
    const before = new Map<string, StoredItem | undefined>();
    for (const key of changing.map(keyOfWrite)) {
      const name = nameOf(key);
      if (isKnown(name)) before.set(name, itemOf(name));
      written.set(name, key);
    }
    const leave = (left: (write: Write, name: string) => { item: StoredItem | undefined } | null): void => {
      const touches = transaction(changing);
      for (const [name, page] of pages) if (matters(touches, page.touches)) pages.delete(name);
      for (const write of changing) {
        const name = nameOf(keyOfWrite(write));
        const is = left(write, name);
        if (is === null) items.delete(name);
        else items.set(name, is.item);
      }
    };
    try {
      const done = await call();
      leave((write) => {
        if ("put" in write) return { item: asStored(write.put) };
        return "remove" in write ? { item: undefined } : null;
      });
      return done;
    } catch (error) {
      // A write whose condition failed has left everything as it was.
      const isAsBefore = error instanceof ConditionFailed;
      leave((_, name) => (isAsBefore && before.has(name) ? { item: before.get(name) } : null));
      throw error;
    }
  };

  const getMany: Database["getMany"] = async (keys, options) => {
    if (then === undefined) return db.getMany(keys, options);
    const wanted = new Map(keys.map((key) => [nameOf(key), key]));
    const unknown = [...wanted].filter(([name]) => !isKnown(name));
    const isHeld = unknown.length < wanted.size && isHeldAgainst();
    const asked = isHeld ? [...wanted] : unknown;
    if (asked.length > 0) {
      const read = byName(await db.getMany(asked.map(([_, key]) => key)));
      for (const [name] of asked) {
        if (isKnown(name)) same(itemOf(name), read.get(name), name);
        else items.set(name, read.get(name));
      }
    }
    return [...wanted.keys()].flatMap((name) => {
      const item = itemOf(name);
      return item === undefined ? [] : [projected(item, options?.only)];
    });
  };

  const query: Database["query"] = async (range, limit, from) => {
    if (then === undefined) return db.query(range, limit, from);
    const name = JSON.stringify([range, limit, from]);
    const remembered = pages.get(name);
    if (remembered !== undefined && !isHeldAgainst()) return remembered.page;
    const page = await db.query(range, limit, from);
    if (remembered !== undefined) same(remembered.page, page, name);
    const touches = readRange(range);
    const list = { page, touches };
    pages.set(name, list);
    const isAsPutBack = [...written.values()].every(
      (key) => !matters(transaction([{ remove: key }]), touches),
    );
    if (isAsPutBack) pagesThen.get(then)?.set(name, list);
    return page;
  };

  return {
    db: {
      ...db,
      getMany,
      query,
      get: async (key, options) => (await getMany([key], options))[0],
      put: (item, expect) =>
        carryOut([expect === undefined ? { put: item } : { put: item, expect }], () => db.put(item, expect)),
      extendUntil: (key, how) => carryOut([{ increase: key, by: {} }], () => db.extendUntil(key, how)),
      transact: (writes, token) => carryOut(writes, () => db.transact(writes, token)),
    },
    begin(lies) {
      then = lies;
      written.clear();
      items.clear();
      const known = pagesThen.get(lies) ?? new Map<string, List>();
      pagesThen.set(lies, known);
      pages = new Map(known);
    },
    async look() {
      if (then === undefined) throw new Error("nobody knows how the table lay");
      const now = new Map(then);
      const read = byName(await look([...written.values()]));
      for (const name of written.keys()) {
        const item = read.get(name);
        if (items.has(name)) same(items.get(name), item, name);
        if (item === undefined) now.delete(name);
        else now.set(name, item);
      }
      return now;
    },
  };
};
