/** The table that a command works on: the local game's, or one on AWS that is named. */
import { DescribeTableCommand, DynamoDBClient, ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import { UserError } from "../cli/userError.ts";
import { explainAwsError } from "../cloud/awsErrors.ts";
import { chooseCredentials } from "../cloud/credentials.ts";
import { regionOf, stageOf } from "../cloud/stage.ts";
import { openLocal } from "../local/openLocal.ts";
import { REGION, readSettings } from "../local/settings.ts";

export interface Target {
  /** Where the calls go that the service itself has no use for: scans and batches. */
  client: DynamoDBClient;
  db: Database;
  table: string;
  /** The table in words. */
  name: string;
  isLocal: boolean;
  close: () => Promise<void>;
}

/** The options by which a command is told its table. */
export const TARGET_OPTIONS = {
  table: { type: "string" },
  stage: { type: "string" },
  region: { type: "string" },
} as const;

/** What `--help` says of them. */
export const TARGET_HELP = `  --stage STAGE    the game of this deployment on AWS, with your AWS credentials; or
  --table NAME     the table of this name there;
                   otherwise the local game of the same PORT and GAME_FILE
  --region REGION  where that table is; AWS_REGION otherwise, or ${REGION}`;

/** A table on an engine that takes any credentials. */
export const localTarget = (
  { endpoint, table, region }: { endpoint: string; table: string; region: string },
  close: () => Promise<void> = async () => {},
): Target => {
  const client = new DynamoDBClient({
    endpoint,
    region,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 8,
  });
  return {
    client,
    db: openDatabase({ table, endpoint }),
    table,
    name: "the local game",
    isLocal: true,
    close: async () => {
      client.destroy();
      await close();
    },
  };
};

const openHere = async (): Promise<Target> => {
  const { settings, close } = await openLocal(readSettings());
  const { DYNAMODB_ENDPOINT: endpoint = "", TABLE_NAME: table = "", AWS_REGION: region = REGION } = settings;
  process.env.AWS_REGION = region;
  return localTarget({ endpoint, table, region }, close);
};

const openThere = async (table: string, region: string): Promise<Target> => {
  const client = new DynamoDBClient({ region, maxAttempts: 8 });
  const there = `table ${table} in ${region}`;
  const name = `the ${there}`;
  try {
    await client.send(new DescribeTableCommand({ TableName: table }));
  } catch (error) {
    client.destroy();
    if (error instanceof ResourceNotFoundException) throw new UserError(`There is no ${there}.`);
    throw explainAwsError(error, `look at ${name}`, region);
  }
  const db = openDatabase({ table });
  return { client, db, table, name, isLocal: false, close: async () => client.destroy() };
};

/**
 * Opens the table that the options name; close it afterwards.
 * @throws UserError when there is no such table, or it cannot be reached
 */
export const openTarget = async ({
  table,
  stage,
  region,
}: {
  table?: string | undefined;
  stage?: string | undefined;
  region?: string | undefined;
}): Promise<Target> => {
  if (stage !== undefined) {
    if (table !== undefined)
      throw new UserError("--stage and --table name the same thing: give one of them.");
    const { name, region: there } = stageOf({ stage, region }, "export");
    return openThere(name, there);
  }
  if (table === undefined) {
    if (region !== undefined) throw new UserError("--region goes with --stage or --table.");
    return openHere();
  }
  chooseCredentials(null);
  return openThere(table, regionOf(region));
};
