/** Snapshots of a table, and how to restore them: for tests that repeat one setup a thousand times. */
import { isDeepStrictEqual } from "node:util";
import { BatchWriteCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Item, StoredItem } from "../../lib/dynamodb/database.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import type { TestEnvironment } from "./service.ts";
import { clientOf } from "./shortWire.ts";

/** Every item of a table, by its key. */
export type Snapshot = ReadonlyMap<string, StoredItem>;

/** How many items the engine accepts in one write. */
const AT_ONCE = 25;

const nameOf = ({ pk, sk }: { pk: string; sk: string }): string => `${pk}\n${sk}`;

/** The table as it is now. */
export const snapshot = async ({ place }: Pick<TestEnvironment, "place">): Promise<Snapshot> => {
  const { endpoint, table } = place();
  const found = new Map<string, StoredItem>();
  for await (const page of paginateScan(
    { client: clientOf(endpoint) },
    { TableName: table, ConsistentRead: true },
  )) {
    for (const item of page.Items ?? []) {
      const stored = { ...item, pk: String(item.pk), sk: String(item.sk) };
      found.set(nameOf(stored), stored);
    }
  }
  return found;
};

/**
 * Restores a table: writes what has changed and removes what is new.
 * @param now the table as it is now, where it is known already
 */
export const restore = async (
  s: Pick<TestEnvironment, "place">,
  then: Snapshot,
  now?: Snapshot | undefined,
): Promise<void> => {
  const { endpoint, table } = s.place();
  const current = now ?? (await snapshot(s));
  const writes: ({ PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } })[] = [];
  for (const [name, item] of then) {
    if (!isDeepStrictEqual(current.get(name), item)) writes.push({ PutRequest: { Item: item } });
  }
  for (const [name, { pk, sk }] of current) {
    if (!then.has(name)) writes.push({ DeleteRequest: { Key: { pk, sk } } });
  }
  for (const batch of chunk(writes, AT_ONCE)) {
    await clientOf(endpoint).send(new BatchWriteCommand({ RequestItems: { [table]: batch } }));
  }
};
