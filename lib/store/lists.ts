/** Sharded lists: entries are spread over shards and read in one order. All lists of the service are sharded lists. */
import type { Game } from "../domain/game/game.ts";
import type { Database, Item, Range, StoredItem } from "../dynamodb/database.ts";
import type { Index } from "../dynamodb/key.ts";

/** A list and how to read it. */
export interface List {
  index?: Index;
  /** Returns the partition key of a shard. */
  partition: (shard: number) => string;
  shards: number;
  descending?: boolean;
  consistent?: boolean;
  /** Exclusive bounds of the sort key. */
  after?: string | undefined;
  before?: string | undefined;
}

/** An entry of a list; `position` is its sort key. */
export interface Entry {
  position: string;
  item: StoredItem;
}

/** The entries of the largest page, and the one that tells whether there is another page. */
const MAX_PAGE_SIZE = 1_001;
/** About 0.5 MB, half of DynamoDB's limit for a page, so that reads of several lists overlap. */
const COMPLETE_READ_PAGE_SIZE = 2_000;
const FILTERED_PAGE_SIZE = 500;

/** DynamoDB sorts by UTF-8 bytes, JavaScript by UTF-16 units. */
export const compareBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

const rangeOf = (list: List, shard: number): Range => ({
  pk: list.partition(shard),
  after: list.after,
  before: list.before,
  ...(list.index === undefined ? {} : { index: list.index }),
  ...(list.descending === undefined ? {} : { descending: list.descending }),
  ...(list.consistent === undefined ? {} : { consistent: list.consistent }),
});

/** @param from where to go on; at the beginning by default */
async function* pagesOf(
  db: Database,
  range: Range,
  pageSize: number,
  from?: Item,
): AsyncGenerator<StoredItem[]> {
  let position = from;
  do {
    const page = await db.query(range, pageSize, position);
    yield page.items;
    position = page.next;
  } while (position !== undefined);
}

async function* shardEntries(
  db: Database,
  list: List,
  shard: number,
  pageSize: number,
): AsyncGenerator<Entry> {
  const sortKey = list.index === undefined ? "sk" : `${list.index}sk`;
  for await (const items of pagesOf(db, rangeOf(list, shard), pageSize)) {
    for (const item of items) {
      const position = String(item[sortKey]);
      // BETWEEN, which is used for two bounds, includes them.
      if (position !== list.after && position !== list.before) yield { position, item };
    }
  }
}

/**
 * Iterates over a list in order, reading pages on demand.
 * @param expected the approximate number of entries the caller needs: the page size
 */
export async function* entries(db: Database, list: List, expected: number): AsyncGenerator<Entry> {
  const pageSize = Math.min(MAX_PAGE_SIZE, Math.max(1, expected));
  const sources = Array.from({ length: list.shards }, (_, shard) => shardEntries(db, list, shard, pageSize));
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) {
    yield* only;
    return;
  }
  yield* merge(sources, list.descending === true ? -1 : 1);
}

/** Merges lists that are each in order. */
async function* merge(sources: readonly AsyncIterator<Entry>[], direction: 1 | -1): AsyncGenerator<Entry> {
  const heads = await Promise.all(sources.map(async (source) => ({ source, head: await source.next() })));
  for (;;) {
    const remaining = heads.flatMap((one) =>
      one.head.done === true ? [] : [{ one, entry: one.head.value }],
    );
    if (remaining.length === 0) return;
    const first = remaining.reduce((best, next) =>
      direction * compareBytes(next.entry.position, best.entry.position) < 0 ? next : best,
    );
    yield first.entry;
    first.one.head = await first.one.source.next();
  }
}

async function* iterate(list: readonly Entry[]): AsyncGenerator<Entry> {
  yield* list;
}

/** Merges lists that are each in descending order. */
export const mergeDescending = (
  lists: readonly (AsyncGenerator<Entry> | readonly Entry[])[],
): AsyncGenerator<Entry> =>
  merge(
    lists.map((list) => (Symbol.asyncIterator in list ? list : iterate(list))),
    -1,
  );

/** A shard for a new entry. Entries keep their shard when the number of shards grows. */
export const randomShard = ({ shards }: Pick<Game, "shards">): number => Math.floor(Math.random() * shards);

/** The shard of a new interaction. It follows from the id, so that the interaction can be found again. */
export const shardOfId = (id: string, shards: number): number => Number.parseInt(id.slice(-8), 16) % shards;

/** All items of a short list, in order. */
export const readAll = async (db: Database, list: List, expected: number): Promise<StoredItem[]> => {
  const items: StoredItem[] = [];
  for await (const { item } of entries(db, list, expected)) items.push(item);
  return items;
};

/**
 * Begins to read a list, unordered. Shards are read in parallel, with large pages.
 * @param only the attributes to read in addition to `pk` and `sk`; all by default
 * @returns the items of the first pages, and `rest`, which reads all others
 */
export const beginUnordered = async (
  db: Database,
  list: Pick<List, "index" | "partition" | "shards" | "consistent">,
  only?: readonly string[],
): Promise<{ items: StoredItem[]; isComplete: boolean; rest: () => Promise<StoredItem[]> }> => {
  const begun = await Promise.all(
    Array.from({ length: list.shards }, async (_, shard) => {
      const range = { ...rangeOf(list, shard), ...(only === undefined ? {} : { only }) };
      return { range, ...(await db.query(range, COMPLETE_READ_PAGE_SIZE)) };
    }),
  );
  return {
    items: begun.flatMap(({ items }) => items),
    isComplete: begun.every(({ next }) => next === undefined),
    async rest() {
      const shards = begun.map(async ({ range, next }) => {
        const pages: StoredItem[][] = [];
        if (next === undefined) return pages;
        for await (const items of pagesOf(db, range, COMPLETE_READ_PAGE_SIZE, next)) pages.push(items);
        return pages;
      });
      return (await Promise.all(shards)).flat(2);
    },
  };
};

/** All items of a list, read as by {@link beginUnordered}. */
export const readAllUnordered = async (...from: Parameters<typeof beginUnordered>): Promise<StoredItem[]> => {
  const { items, rest } = await beginUnordered(...from);
  return [...items, ...(await rest())];
};

/** The approximate number of entries to read for a page. A filter may skip most of them. */
export const expectedEntries = (limit: number, isFiltered: boolean): number =>
  isFiltered ? Math.max(limit + 1, FILTERED_PAGE_SIZE) : limit + 1;

/** The most entries that a filtered page reads: some 65 read units of an index, or 1,000 of players. */
export const MAX_LOOKED_THROUGH = 1_000;

/** A page of a list, and the position after which the next page starts; `null` on the last page. */
export interface ListPage<T> {
  items: T[];
  next: string | null;
}

/** Collects a page of entries that are given in order, while others are only counted. @param after a position */
export const pageCollector = <T>(limit: number, after = "") => {
  const listed: { position: string; item: T }[] = [];
  return {
    add: (position: string, item: T): void => {
      if (listed.length <= limit && compareBytes(position, after) > 0) listed.push({ position, item });
    },
    page: (): ListPage<T> => ({
      items: listed.slice(0, limit).map(({ item }) => item),
      next: listed.length > limit ? (listed[limit - 1]?.position ?? null) : null,
    }),
  };
};

/**
 * Reads a page. Even with a filter it is full, unless it is the last page or `maxRead` entries did not fill it.
 * @param read converts an item; `null` skips it
 * @param maxRead the most entries that are read for the page
 */
export const readPage = async <T, Item = StoredItem>(
  source: AsyncIterable<{ position: string; item: Item }>,
  limit: number,
  read: (item: Item) => T | null,
  maxRead = Number.POSITIVE_INFINITY,
): Promise<ListPage<T>> => {
  const items: T[] = [];
  let last: string | null = null;
  let readCount = 0;
  for await (const { position, item } of source) {
    if (readCount === maxRead) return { items, next: last };
    readCount += 1;
    const value = read(item);
    if (value === null) {
      if (items.length < limit) last = position;
      continue;
    }
    if (items.length === limit) return { items, next: last };
    items.push(value);
    last = position;
  }
  return { items, next: null };
};
