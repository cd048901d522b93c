/** Parallel scans of a table. */
import { DescribeTableCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import type { RawItem } from "./rawItem.ts";
import type { Target } from "./target.ts";

const SEGMENTS = 4;
/** Items per page. Without a limit a page has one megabyte, and many times that in memory. */
export const PAGE_SIZE = 1_000;

/** Returns the approximate number of items; AWS updates it every few hours. */
export const approximateItemCount = async ({ client, table }: Target): Promise<number> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  return Table?.ItemCount ?? 0;
};

/** Reads every item. Each segment waits for `onPage` before it reads its next page. */
export const scanAll = async (
  { client, table }: Pick<Target, "client" | "table">,
  onPage: (items: readonly RawItem[]) => Promise<void> | void,
): Promise<void> => {
  const readSegment = async (Segment: number): Promise<void> => {
    let from: RawItem | undefined;
    do {
      const page = await client.send(
        new ScanCommand({
          TableName: table,
          ConsistentRead: true,
          Limit: PAGE_SIZE,
          Segment,
          TotalSegments: SEGMENTS,
          ExclusiveStartKey: from,
        }),
      );
      await onPage(page.Items ?? []);
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  };
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => readSegment(segment)));
};
