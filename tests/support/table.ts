/** The whole table as it lies there, to look behind the store. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, paginateScan } from "@aws-sdk/lib-dynamodb";
import type { StoredItem } from "../../lib/store/database.ts";
import type { Stage } from "./service.ts";

/** Every item of a stage's table. */
export const scan = async ({ place }: Pick<Stage, "place">): Promise<StoredItem[]> => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint: place().endpoint, region: "local", credentials }),
  );
  const items: StoredItem[] = [];
  for await (const page of paginateScan({ client }, { TableName: place().table })) {
    for (const item of page.Items ?? []) items.push({ ...item, pk: String(item.pk), sk: String(item.sk) });
  }
  client.destroy();
  return items;
};
