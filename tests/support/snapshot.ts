/** Snapshots of a table, and how to restore them: for tests that repeat one setup a thousand times. */
import { isDeepStrictEqual } from "node:util";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import type { TestEnvironment } from "./service.ts";
import { fill, scan, type Write, writeAll } from "./table.ts";

/** Every item of a table, by its key. */
export type Snapshot = ReadonlyMap<string, StoredItem>;

/** The name of an item in a snapshot. */
export const nameOf = ({ pk, sk }: { pk: string; sk: string }): string => `${pk}\n${sk}`;

type Stage = Pick<TestEnvironment, "place">;

/** The table as it is now. */
export const snapshot = async (s: Stage): Promise<Snapshot> => {
  const items = await scan(s);
  return new Map(items.map((item) => [nameOf(item), item]));
};

/** Plays the beginning of several tests once; the others begin with a copy of its table. */
export const playedOnce = <T>(s: TestEnvironment, play: () => Promise<T>): (() => Promise<T>) => {
  let known: { played: T; items: readonly StoredItem[]; now: number } | undefined;
  return async () => {
    if (known === undefined) {
      known = { played: await play(), items: await scan(s), now: s.now };
    } else {
      await fill(s.place(), known.items);
      // A clock that runs does not go back.
      s.now = Math.max(s.now, known.now);
    }
    return structuredClone(known.played);
  };
};

/** Restores a table: writes what changed, and removes what is new. @param now the table now, if it is known */
export const restore = async (s: Stage, then: Snapshot, now?: Snapshot): Promise<void> => {
  const current = now ?? (await snapshot(s));
  const writes: Write[] = [];
  for (const [name, item] of then) {
    if (!isDeepStrictEqual(current.get(name), item)) writes.push({ PutRequest: { Item: item } });
  }
  for (const [name, { pk, sk }] of current) {
    if (!then.has(name)) writes.push({ DeleteRequest: { Key: { pk, sk } } });
  }
  await writeAll(s.place(), writes);
};
