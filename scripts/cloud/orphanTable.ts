/** A table that its stack does not have: CloudFormation makes none of a name that there is. */
import {
  DeleteTableCommand,
  DescribeTableCommand,
  ResourceNotFoundException,
  UpdateTableCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { hasGame } from "../archive/hasGame.ts";
import { explainingErrors } from "./awsErrors.ts";
import type { Clients } from "./clients.ts";
import type { Stage } from "./stage.ts";

type Cloud = Pick<Clients, "dynamodb" | "region">;

/** In seconds; a table of some size takes minutes to go. */
const PATIENCE = 600;

/** Whether a table of this name is there, and whether it holds no game. */
export const findTable = async (
  { dynamodb, region }: Cloud,
  { name }: Stage,
): Promise<{ isEmpty: boolean; isProtected: boolean } | null> =>
  explainingErrors(region, `look at the table ${name}`, async () => {
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

/** Removes a table for good, protected or not, and waits until it is gone. */
export const removeTable = async ({ dynamodb, region }: Cloud, { name }: Stage): Promise<void> =>
  explainingErrors(region, `remove the table ${name}`, async () => {
    const waiting = { client: dynamodb, maxWaitTime: PATIENCE, minDelay: 1, maxDelay: 5 };
    await dynamodb.send(new UpdateTableCommand({ TableName: name, DeletionProtectionEnabled: false }));
    await waitUntilTableExists(waiting, { TableName: name });
    await dynamodb.send(new DeleteTableCommand({ TableName: name }));
    await waitUntilTableNotExists(waiting, { TableName: name });
  });
