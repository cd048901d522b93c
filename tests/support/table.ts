/** Reads and fills the table behind the store. */
import { BatchWriteCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Item, StoredItem } from "../../lib/dynamodb/database.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { clientOf } from "./shortWire.ts";

interface Place {
  endpoint: string;
  table: string;
}

/** How many items the engine accepts in one write. */
const AT_ONCE = 25;

/** Writes items as they are. */
export const fill = async (place: Place, items: readonly Item[]): Promise<void> => {
  const client = clientOf(place.endpoint);
  const rest = chunk(items, AT_ONCE).values();
  const worker = async (): Promise<void> => {
    for (const batch of rest) {
      const puts = batch.map((item) => ({ PutRequest: { Item: item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [place.table]: puts } }));
    }
  };
  // While the engine writes one batch, the next is prepared.
  await Promise.all(Array.from({ length: 3 }, worker));
};

/** Every item of the table. */
export const scan = async ({ place }: { place: () => Place }): Promise<StoredItem[]> => {
  const client = clientOf(place().endpoint);
  const items: StoredItem[] = [];
  for await (const page of paginateScan({ client }, { TableName: place().table })) {
    for (const item of page.Items ?? []) items.push({ ...item, pk: String(item.pk), sk: String(item.sk) });
  }
  return items;
};
