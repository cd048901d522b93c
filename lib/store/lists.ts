/** The sharded list: appended to anywhere, read in one order. Every list of the service is one. */
import type { Database, Item, Range, StoredItem } from "../dynamodb/database.ts";
import type { Index } from "../dynamodb/key.ts";

/** A list and how it is read. */
export interface List {
  index?: Index;
  /** The partition of a shard. */
  partition: (shard: number) => string;
  shards: number;
  descending?: boolean;
  consistent?: boolean;
  /** Sort keys are strictly within these. */
  after?: string | undefined;
  before?: string | undefined;
}

/** An entry of a list with its sort key, which is its position. */
export interface Entry {
  position: string;
  item: StoredItem;
}

const MOST_PER_QUERY = 1_000;
/** Half of the megabyte that a page may have, about: one is gone through while the database works on another list's. */
const WHOLE_PAGE = 2_000;
const FILTERED_AT_ONCE = 500;

// As the database sorts: by UTF-8 bytes, which JavaScript's own order of strings is not.
const compareBytes = (one: string, other: string): number =>
  Buffer.compare(Buffer.from(one), Buffer.from(other));

const rangeOf = (list: List, shard: number): Range => ({
  pk: list.partition(shard),
  after: list.after,
  before: list.before,
  ...(list.index === undefined ? {} : { index: list.index }),
  ...(list.descending === undefined ? {} : { descending: list.descending }),
  ...(list.consistent === undefined ? {} : { consistent: list.consistent }),
});

async function* pagesOf(db: Database, range: Range, pageSize: number): AsyncGenerator<StoredItem[]> {
  let from: Item | undefined;
  do {
    const page = await db.query(range, pageSize, from);
    yield page.items;
    from = page.next;
  } while (from !== undefined);
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
      // A range with both bounds comes with them.
      if (position !== list.after && position !== list.before) yield { position, item };
    }
  }
}

/**
 * The entries of a list in order, read as they are taken.
 * @param expected about how many will be taken: the size of a page
 */
export async function* entries(db: Database, list: List, expected: number): AsyncGenerator<Entry> {
  const pageSize = Math.min(MOST_PER_QUERY, Math.max(1, expected));
  const sources = Array.from({ length: list.shards }, (_, shard) => shardEntries(db, list, shard, pageSize));
  const [only] = sources;
  if (sources.length === 1 && only !== undefined) {
    yield* only;
    return;
  }
  const direction = list.descending === true ? -1 : 1;
  const heads = await Promise.all(sources.map(async (source) => ({ source, head: await source.next() })));
  for (;;) {
    const live = heads.flatMap((one) => (one.head.done === true ? [] : [{ one, entry: one.head.value }]));
    if (live.length === 0) return;
    const first = live.reduce((best, next) =>
      direction * compareBytes(next.entry.position, best.entry.position) < 0 ? next : best,
    );
    yield first.entry;
    first.one.head = await first.one.source.next();
  }
}

/** Every item of a list, in order; of lists that are known to be short. */
export const readAll = async (db: Database, list: List, expected: number): Promise<StoredItem[]> => {
  const items: StoredItem[] = [];
  for await (const { item } of entries(db, list, expected)) items.push(item);
  return items;
};

/**
 * Every item of a list without bounds, in no order: all shards at once, by as few pages as there can be.
 * @param only the attributes that are wanted beside `pk` and `sk`
 */
export const readAllUnordered = async (
  db: Database,
  list: Pick<List, "index" | "partition" | "shards">,
  only: readonly string[],
): Promise<StoredItem[]> => {
  const shards = Array.from({ length: list.shards }, async (_, shard) => {
    const pages: StoredItem[][] = [];
    for await (const items of pagesOf(db, { ...rangeOf(list, shard), only }, WHOLE_PAGE)) pages.push(items);
    return pages.flat();
  });
  return (await Promise.all(shards)).flat();
};

/** About how many entries a page takes: many more where a filter passes most of them over. */
export const expectedEntries = (limit: number, isFiltered: boolean): number =>
  isFiltered ? Math.max(limit + 1, FILTERED_AT_ONCE) : limit + 1;

/** A page of a list: what is on it, and the position to go on from, or `null` when it is the last. */
export interface Page<T> {
  items: T[];
  next: string | null;
}

/**
 * Takes a page: full unless it is the last, also when filtered.
 * @param read what an entry stands for; `null` for one that does not belong on the page
 */
export const readPage = async <T>(
  source: AsyncIterable<Entry>,
  limit: number,
  read: (item: StoredItem) => T | null,
): Promise<Page<T>> => {
  const items: T[] = [];
  let last: string | null = null;
  for await (const { position, item } of source) {
    const value = read(item);
    if (value === null) continue;
    if (items.length === limit) return { items, next: last };
    items.push(value);
    last = position;
  }
  return { items, next: null };
};
