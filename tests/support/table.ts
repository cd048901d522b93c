/** Reads and fills the table behind the store. */
import { BatchWriteCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Item, StoredItem } from "../../lib/dynamodb/database.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { clientOf } from "./directClient.ts";

interface Place {
  endpoint: string;
  table: string;
}

/** How many items the engine accepts in one write. */
const AT_ONCE = 25;

export type Write = { PutRequest: { Item: Item } } | { DeleteRequest: { Key: Item } };

/** Writes and deletes items. */
export const writeAll = async (place: Place, writes: readonly Write[]): Promise<void> => {
  const client = clientOf(place.endpoint);
  const rest = chunk(writes, AT_ONCE).values();
  const worker = async (): Promise<void> => {
    for (const batch of rest) {
      await client.send(new BatchWriteCommand({ RequestItems: { [place.table]: batch } }));
    }
  };
  // While the engine writes one batch, the next is prepared.
  await Promise.all(Array.from({ length: 3 }, worker));
};

/** Writes items as they are. */
export const fill = (place: Place, items: readonly Item[]): Promise<void> =>
  writeAll(
    place,
    items.map((Item) => ({ PutRequest: { Item } })),
  );

/** Every item of the table. */
export const scan = async ({ place }: { place: () => Place }): Promise<StoredItem[]> => {
  const client = clientOf(place().endpoint);
  const items: StoredItem[] = [];
  for await (const page of paginateScan({ client }, { TableName: place().table, ConsistentRead: true })) {
    for (const item of page.Items ?? []) items.push({ ...item, pk: String(item.pk), sk: String(item.sk) });
  }
  return items;
};
