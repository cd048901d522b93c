/** The table that a command works on: the local game's, or a table on AWS. */
import { DescribeTableCommand, DynamoDBClient, ResourceNotFoundException } from "@aws-sdk/client-dynamodb";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import type { Database } from "../../lib/dynamodb/database.ts";
import { LOCAL_CREDENTIALS } from "../../lib/runtime/awsClient.ts";
import { UserError } from "../cli/userError.ts";
import { explainAwsError } from "../cloud/awsErrors.ts";
import { chooseCredentials } from "../cloud/credentials.ts";
import { regionOf, stageOf } from "../cloud/stage.ts";
import { type OpenOptions, openLocal } from "../local/openLocal.ts";
import { REGION, readSettings } from "../local/settings.ts";

export interface Target {
  /** For requests that the service itself never sends: scans and batch writes. */
  client: DynamoDBClient;
  db: Database;
  table: string;
  /** Describes the table in messages. */
  name: string;
  isLocal: boolean;
  close: () => Promise<void>;
}

export const TARGET_OPTIONS = {
  table: { type: "string" },
  stage: { type: "string" },
  region: { type: "string" },
} as const;

type TargetOptions = { [Name in keyof typeof TARGET_OPTIONS]?: string | undefined };

/** The `--help` text of these options. */
export const TARGET_HELP = `  --stage STAGE    the game of this deployment on AWS, with your AWS credentials
  --table NAME     instead of --stage, the table of this name on AWS;
                   without --stage and --table, the local game of PORT and GAME_FILE, from the environment or .env
  --region REGION  the region of the table; defaults to AWS_REGION, then ${REGION}`;

/** Opens a table on an engine that accepts any credentials. */
export const localTarget = (
  { endpoint, table, region }: { endpoint: string; table: string; region: string },
  close: () => Promise<void> = async () => {},
): Target => {
  const client = new DynamoDBClient({ endpoint, region, credentials: LOCAL_CREDENTIALS, maxAttempts: 8 });
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

const openHere = async (options: OpenOptions): Promise<Target> => {
  const { settings, close } = await openLocal(readSettings(), options);
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
    throw explainAwsError(error, `describe ${name}`, region);
  }
  const db = openDatabase({ table });
  return { client, db, table, name, isLocal: false, close: async () => client.destroy() };
};

/**
 * Opens the table that the options select. Call `close` afterwards.
 * @param options how a local game is opened
 * @throws UserError if the table does not exist or cannot be reached
 */
export const openTarget = async (
  { table, stage, region }: TargetOptions,
  options: OpenOptions = {},
): Promise<Target> => {
  if (stage !== undefined) {
    if (table !== undefined)
      throw new UserError("--stage and --table both select a table. Give only one of them.");
    const { name, region: there } = stageOf({ stage, region }, "export");
    return openThere(name, there);
  }
  if (table === undefined) {
    if (region !== undefined) throw new UserError("--region needs --stage or --table.");
    return openHere(options);
  }
  chooseCredentials(null);
  return openThere(table, regionOf(region));
};
