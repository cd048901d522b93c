import type { Index, Key } from "./key.ts";

/** An item as it comes and goes: parsed by whoever reads it. */
export type Item = Record<string, unknown>;
export type StoredItem = Item & Key;

/**
 * What must hold for a write: the item is absent, has the `rev` or the fields that were read (`undefined` for one that
 * it did not have; numbers that may be less), or has expired.
 */
export type Expectation =
  | "absent"
  | { rev: number }
  | { is: Record<string, string | number | undefined>; atMost?: Record<string, number> }
  | { absentOrExpiredBy: number };

/** An item put in the place of whatever is there. */
export interface Put {
  put: StoredItem;
  expect?: Expectation;
}

/** One write of a transaction. */
export type Write =
  | Put
  | { remove: Key; expect?: Expectation }
  | { check: Key; expect: Expectation }
  | { increase: Key; by: Record<string, number>; expect?: Expectation }
  // Some fields of an item whose others were not read; `undefined` takes one away.
  | { set: Key; to: Item; by: Record<string, number>; expect: Expectation };

/** Which item a write is upon. */
export const keyOfWrite = (write: Write): Key => {
  if ("put" in write) return write.put;
  if ("remove" in write) return write.remove;
  if ("check" in write) return write.check;
  return "set" in write ? write.set : write.increase;
};

/** A stretch of one partition, of the table or an index; bounds are exclusive. */
export interface Range {
  index?: Index;
  pk: string;
  after?: string | undefined;
  before?: string | undefined;
  descending?: boolean;
  consistent?: boolean;
  /** Just these attributes beside `pk` and `sk`: as many units, and less to carry and to read. */
  only?: readonly string[];
}

/** How items are read. */
export interface ReadOptions {
  /** Whether the read sees all earlier writes. `false` costs half as much. */
  consistent?: boolean;
}

export interface QueryPage {
  items: StoredItem[];
  next: Item | undefined;
}

/** A PartiQL statement of this table. */
export interface Statement {
  /** Its text, given the name of the table. */
  text: (table: string) => string;
  /** What its parameters stand for, in order. */
  parameters: readonly unknown[];
  consistent?: boolean;
}

export interface StatementPage {
  /** Numbers that JavaScript cannot tell apart come as their digits. */
  items: Item[];
  /** Where to go on; absent after the last page. */
  next: string | undefined;
}

/** An instant of an item, `full_at`, that is put off; all in milliseconds since 1970 but `expires`, in seconds. */
export interface Extension {
  by: number;
  /** From here on, where it is past or not there. */
  from: number;
  atMost: number;
  expires: number;
  /** Whether it probably lies ahead of `from`; guessing wrong costs a second write. */
  isAhead: boolean;
}

/** The seven calls that everything is built on. */
export interface Database {
  /** One item, read consistently unless told otherwise; with the others that are asked for at the same instant. */
  get(key: Key, options?: ReadOptions): Promise<StoredItem | undefined>;
  /** Any number of items, in no order, those that exist; with just the attributes in `only`, where it is given. */
  getMany(keys: readonly Key[], options?: ReadOptions & { only?: readonly string[] }): Promise<StoredItem[]>;
  /** One page of a range. */
  query(range: Range, limit: number, from?: Item): Promise<QueryPage>;
  /** One item written on its own. */
  put(item: StoredItem, expect?: Expectation): Promise<void>;
  /** Puts an instant off, without having read it; whether there was room for that. */
  extendUntil(key: Key, how: Extension): Promise<boolean>;
  /** Up to 100 writes, all or none. The same `token` again within ten minutes changes nothing. */
  transact(writes: readonly Write[], token: string): Promise<void>;
  /**
   * One page of what a statement answers; `limit` counts the items that are read, before any filter.
   * @throws StatementRejected
   */
  execute(statement: Statement, options?: { limit?: number; from?: string }): Promise<StatementPage>;
}
