/** Finds and removes a table that a stack left behind. CloudFormation cannot create a table whose name is taken. */
import {
  DeleteTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { hasGame } from "../archive/scan.ts";
import { explainingErrors } from "./awsErrors.ts";
import type { Clients } from "./clients.ts";
import type { Stage } from "./stage.ts";

type Cloud = Pick<Clients, "dynamodb" | "region">;

/** The time limit of each wait. Deleting a large table takes minutes. */
const MAX_WAIT_SECONDS = 600;

/** Returns whether the table of a stage is empty and protected, or `null` if there is none. */
export const findTable = async (
  { dynamodb, region }: Cloud,
  { name }: Stage,
): Promise<{ isEmpty: boolean; isProtected: boolean } | null> =>
  explainingErrors(region, `describe the table ${name}`, async () => {
    try {
      const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: name }));
      return {
        isEmpty: !(await hasGame({ client: dynamodb, table: name })),
        isProtected: Table?.DeletionProtectionEnabled === true,
      };
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return null;
      throw error;
    }
  });

/** Deletes a table, even if it is protected, and waits until it is gone. */
export const removeTable = async ({ dynamodb, region }: Cloud, { name }: Stage): Promise<void> =>
  explainingErrors(region, `delete the table ${name}`, async () => {
    const waiting = { client: dynamodb, maxWaitTime: MAX_WAIT_SECONDS, minDelay: 1, maxDelay: 5 };
    await dynamodb.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: false }));
    await waitUntilTableExists(waiting, { TableName: name });
    await dynamodb.send(new DeleteTableCommand({ TableName: name }));
    await waitUntilTableNotExists(waiting, { TableName: name });
  });
