/** A table as it lay at one instant, and the way back to it: for parts that play one scene a thousand times. */
import { isDeepStrictEqual } from "node:util";
import { BatchWriteCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Item, StoredItem } from "../../lib/dynamodb/database.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import type { TestEnvironment } from "./service.ts";
import { clientOf } from "./shortWire.ts";

/** Every item of a table, by its key. */
export type Snapshot = ReadonlyMap<string, StoredItem>;

/** What an engine takes in one write. */
const AT_ONCE = 25;

const nameOf = ({ pk, sk }: { pk: string; sk: string }): string => `${pk}\n${sk}`;

/** The table as it lies now. */
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
 * Puts a table back to how it lay: writes what has changed, removes what is new, and leaves the rest alone.
 * @param now the table as it lies, where it is known already
 */
export const restore = async (
  s: Pick<TestEnvironment, "place">,
  then: Snapshot,
  now?: Snapshot | undefined,
): Promise<void> => {
  const { endpoint, table } = s.place();
  const lying = now ?? (await snapshot(s));
  const writes: ({ PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } })[] = [];
  for (const [name, item] of then) {
    if (!isDeepStrictEqual(lying.get(name), item)) writes.push({ PutRequest: { Item: item } });
  }
  for (const [name, { pk, sk }] of lying) {
    if (!then.has(name)) writes.push({ DeleteRequest: { Key: { pk, sk } } });
  }
  for (const batch of chunk(writes, AT_ONCE)) {
    await clientOf(endpoint).send(new BatchWriteCommand({ RequestItems: { [table]: batch } }));
  }
};
