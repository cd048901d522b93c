/** The database interface that the store is built on. */
import type { Index, Key } from "./key.ts";
import type { RawItem } from "./rawItem.ts";

/** An item as stored. Readers parse it. */
export type Item = Record<string, unknown>;
export type StoredItem = Item & Key;

/**
 * The condition of a write on the current item. `is`: it has these values, and `undefined` fields are absent. `atMost`:
 * these fields have at most these values. `absentOrExpiredBy`: it is absent or expired by then, in seconds since 1970.
 */
export type Expectation =
  | "absent"
  | { rev: number }
  | { is: Record<string, string | number | undefined>; atMost?: Record<string, number> }
  | { absentOrExpiredBy: number };

/** Writes a complete item. */
export interface Put {
  put: StoredItem;
  expect?: Expectation;
  /** Set if the key contains a new id, so that the item exists only if this write was committed. */
  hasNewKey?: true;
}

export type Write =
  | Put
  | { remove: Key; expect?: Expectation }
  | { check: Key; expect: Expectation }
  | { increase: Key; by: Record<string, number>; expect?: Expectation }
  // Sets the fields `to`, where `undefined` removes a field, and adds `by` to others.
  | { set: Key; to: Item; by: Record<string, number>; expect?: Expectation };

/** The key of the item that a write changes or checks. */
export const keyOfWrite = (write: Write): Key => {
  if ("put" in write) return write.put;
  if ("remove" in write) return write.remove;
  if ("check" in write) return write.check;
  return "set" in write ? write.set : write.increase;
};

/** A range of one partition of the table or an index. A single bound is exclusive; two bounds are inclusive. */
export interface Range {
  index?: Index;
  pk: string;
  after?: string | undefined;
  before?: string | undefined;
  descending?: boolean;
  consistent?: boolean;
  /** Reads only these attributes, `pk` and `sk`. This costs the same units, but less transfer and parsing. */
  only?: readonly string[];
}

export interface ReadOptions {
  /** Whether the read sees all earlier writes. `false` costs half as much. */
  consistent?: boolean;
}

export interface QueryPage {
  items: StoredItem[];
  next: Item | undefined;
}

/** A page of the whole table. */
export interface ScanPage {
  items: RawItem[];
  /** The key after which the next page starts; `undefined` after the last. */
  next: Key | undefined;
}

/** A PartiQL statement of this table. */
export interface Statement {
  /** Returns the text for a table name. */
  text: (table: string) => string;
  /** The values of its parameters, in order. */
  parameters: readonly unknown[];
  consistent?: boolean;
}

export interface StatementPage {
  /** Numbers that JavaScript cannot represent exactly are texts. */
  items: Item[];
  /** The token of the next page; `undefined` after the last. */
  next: string | undefined;
}

/** How to move an item's time `full_at` later, in milliseconds; `expires` is in seconds since 1970. */
export interface Extension {
  by: number;
  /** The time to start from if `full_at` is absent or earlier, since 1970. */
  from: number;
  /** The latest allowed result, since 1970. */
  atMost: number;
  expires: number;
  /** Whether `full_at` is probably later than `from`. A wrong guess costs a second write. */
  isAhead: boolean;
}

/** The calls of the database. @throws DatabaseBusy; ConditionFailed if a write does not meet its expectation */
export interface Database {
  /** Reads one item, by default consistently. Concurrent reads are combined into one call. */
  get(key: Key, options?: ReadOptions): Promise<StoredItem | undefined>;
  /** Reads the items that exist, unordered, with all attributes or those in `only`. */
  getMany(keys: readonly Key[], options?: ReadOptions & { only?: readonly string[] }): Promise<StoredItem[]>;
  query(range: Range, limit: number, from?: Item): Promise<QueryPage>;
  /** Reads a page of all items, in the order of the table and consistently. @param from the key after which it starts */
  scan(limit: number, from?: Key): Promise<ScanPage>;
  put(item: StoredItem, expect?: Expectation): Promise<void>;
  /** Moves a stored time later without reading it. @returns `false` if the result would be later than `atMost` */
  extendUntil(key: Key, how: Extension): Promise<boolean>;
  /** Writes up to 100 items, all or none. A repeated call with the same `token` within ten minutes changes nothing. */
  transact(writes: readonly Write[], token: string): Promise<void>;
  /**
   * Reads one page of a statement's result. `limit` counts the items that are read, before any filter.
   * @throws StatementRejected
   */
  execute(statement: Statement, options?: { limit?: number; from?: string }): Promise<StatementPage>;
}
