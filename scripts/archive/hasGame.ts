/** Checks whether a table contains a game. */
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { isGameItem } from "./format.ts";
import type { RawItem } from "./rawItem.ts";
import { PAGE_SIZE } from "./scan.ts";
import type { Target } from "./target.ts";

/**
 * Whether a table contains items of a game. It reads the items, because the count in the table description is hours
 * old.
 */
export const hasGame = async ({ client, table }: Pick<Target, "client" | "table">): Promise<boolean> => {
  let from: RawItem | undefined;
  do {
    const page = await client.send(
      new ScanCommand({
        TableName: table,
        ConsistentRead: true,
        ExclusiveStartKey: from,
        ProjectionExpression: "pk, sk",
        Limit: PAGE_SIZE,
      }),
    );
    if ((page.Items ?? []).some(isGameItem)) return true;
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return false;
};
