/** The table as it lies there: to look behind the store, and to fill it by the thousand. */
import { BatchWriteCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Item, StoredItem } from "../../lib/dynamodb/database.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { clientOf } from "./shortWire.ts";

interface Place {
  endpoint: string;
  table: string;
}

/** What the engine takes in one write. */
const AT_ONCE = 25;

/** Puts items into a table as they are. */
export const fill = async (place: Place, items: readonly Item[]): Promise<void> => {
  const client = clientOf(place.endpoint);
  const rest = chunk(items, AT_ONCE).values();
  const worker = async (): Promise<void> => {
    for (const batch of rest) {
      const puts = batch.map((item) => ({ PutRequest: { Item: item } }));
      await client.send(new BatchWriteCommand({ RequestItems: { [place.table]: puts } }));
    }
  };
  // While the engine writes one batch, the next is made ready.
  await Promise.all(Array.from({ length: 3 }, worker));
};

/** Every item of a stage's table. */
export const scan = async ({ place }: { place: () => Place }): Promise<StoredItem[]> => {
  const client = clientOf(place().endpoint);
  const items: StoredItem[] = [];
  for await (const page of paginateScan({ client }, { TableName: place().table })) {
    for (const item of page.Items ?? []) items.push({ ...item, pk: String(item.pk), sk: String(item.sk) });
  }
  return items;
};
