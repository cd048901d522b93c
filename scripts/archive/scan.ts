/** Scans of a table. */
import { DescribeTableCommand, paginateScan, type ScanCommandInput } from "@aws-sdk/client-dynamodb";
import type { RawItem } from "../../lib/dynamodb/rawItem.ts";
import { isGameItem } from "../../lib/store/archiveItems.ts";
import type { Target } from "./target.ts";

const SEGMENTS = 4;
/** Items per page. Without a limit a page has one megabyte, and many times that in memory. */
const PAGE_SIZE = 1_000;

/** Returns the approximate number of items; AWS updates it every few hours. */
export const approximateItemCount = async ({ client, table }: Target): Promise<number> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  return Table?.ItemCount ?? 0;
};

const pagesOf = ({ client, table }: Pick<Target, "client" | "table">, more: Partial<ScanCommandInput>) =>
  paginateScan({ client }, { TableName: table, ConsistentRead: true, Limit: PAGE_SIZE, ...more });

/** Reads every item. Each segment waits for `onPage` before it reads its next page. */
export const scanAll = async (
  source: Pick<Target, "client" | "table">,
  onPage: (items: readonly RawItem[]) => Promise<void> | void,
): Promise<void> => {
  const readSegment = async (Segment: number): Promise<void> => {
    for await (const { Items = [] } of pagesOf(source, { Segment, TotalSegments: SEGMENTS })) {
      await onPage(Items);
    }
  };
  await Promise.all(Array.from({ length: SEGMENTS }, (_, segment) => readSegment(segment)));
};

/**
 * Whether a table contains items of a game. It reads the items, because the count in the table description is hours
 * old.
 */
export const hasGame = async (source: Pick<Target, "client" | "table">): Promise<boolean> => {
  for await (const { Items = [] } of pagesOf(source, { ProjectionExpression: "pk, sk" })) {
    if (Items.some(isGameItem)) return true;
  }
  return false;
};
