/** Scans: every item of a table, several stretches at once. */
import { DescribeTableCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import type { RawItem } from "./rawItem.ts";
import type { Target } from "./target.ts";

const SEGMENTS = 4;
/** A page is one megabyte otherwise, which takes many times as much once it is read. */
export const PAGE_SIZE = 1_000;

/** About how many items a table has; what AWS says of it is some hours old. */
export const approximateItemCount = async ({ client, table }: Target): Promise<number> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  return Table?.ItemCount ?? 0;
};

/** Reads every item, and waits for what is done with each page before its stretch goes on. */
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
          ...{ Segment, TotalSegments: SEGMENTS, ExclusiveStartKey: from },
        }),
      );
      await onPage(page.Items ?? []);
      from = page.LastEvaluatedKey;
    } while (from !== undefined);
  };
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => readSegment(segment)));
};
