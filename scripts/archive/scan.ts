/** Scans: every item of a table, several stretches at once. */

import { DescribeTableCommand, ScanCommand } from "@aws-sdk/client-dynamodb";
import { isOfGame } from "./format.ts";
import type { RawItem } from "./rawItem.ts";
import type { Target } from "./target.ts";

const SEGMENTS = 4;
/** A page is one megabyte otherwise, which takes many times as much once it is read. */
const PAGE_SIZE = 1_000;

/** About how many items a table has; what AWS says of it is some hours old. */
export const sizeOf = async ({ client, table }: Target): Promise<number> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  return Table?.ItemCount ?? 0;
};

/** Whether there is a game in a table, by its items: what AWS says of its size is some hours old. */
export const hasGame = async ({ client, table }: Pick<Target, "client" | "table">): Promise<boolean> => {
  let from: RawItem | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        ...{ TableName: table, ConsistentRead: true, ExclusiveStartKey: from },
        ...{ ProjectionExpression: "pk, sk", Limit: PAGE_SIZE },
      }),
    );
    if ((page.Items ?? []).some(isOfGame)) return true;
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return false;
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
