/** Creates the table on a local engine, from the deployed definition. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { parse } from "yaml";
import * as z from "zod/mini";
import { LOCAL_CREDENTIALS } from "../../lib/runtime/awsClient.ts";
import { messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";

const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));

/** The parts of `resources/table.yml` that a local engine needs. */
const Definition = z.object({
  Properties: z.object({
    AttributeDefinitions: z.array(
      z.object({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) }),
    ),
    KeySchema,
    GlobalSecondaryIndexes: z.array(
      z.object({
        IndexName: z.string(),
        KeySchema,
        Projection: z.object({
          ProjectionType: z.enum(["ALL", "INCLUDE", "KEYS_ONLY"]),
          NonKeyAttributes: z.optional(z.array(z.string())),
        }),
      }),
    ),
    StreamSpecification: z.object({
      StreamViewType: z.enum(["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]),
    }),
    TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }),
  }),
});
type Properties = z.infer<typeof Definition>["Properties"];

let definition: Promise<Properties> | undefined;

/** Reads the definition. The result is cached, because tests create a thousand tables. */
export const readDefinition = (): Promise<Properties> => {
  definition ??= readFile(join(ROOT, "resources/table.yml"), "utf8").then(
    (text) => Definition.parse(parse(text)).Properties,
  );
  return definition;
};

type Client = Pick<DynamoDBClient, "send" | "destroy">;

/** Returns a string that is equal for tables with the same keys and indexes. */
const shapeOf = (table: Pick<TableDescription, "KeySchema" | "GlobalSecondaryIndexes">): string => {
  const keysOf = (schema: TableDescription["KeySchema"]): string[] =>
    (schema ?? []).map((key) => `${key.KeyType} ${key.AttributeName}`).toSorted();
  const indexes = (table.GlobalSecondaryIndexes ?? []).map((index) => [
    index.IndexName,
    keysOf(index.KeySchema),
    index.Projection?.ProjectionType,
    (index.Projection?.NonKeyAttributes ?? []).toSorted(),
  ]);
  return JSON.stringify([keysOf(table.KeySchema), indexes.map((index) => JSON.stringify(index)).toSorted()]);
};

const create = async (client: Client, TableName: string, properties: Properties): Promise<void> => {
  const { TimeToLiveSpecification, StreamSpecification: _, ...rest } = properties;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      ...rest,
    }),
  );
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
};

const assertSameShape = async (client: Client, TableName: string, wanted: Properties): Promise<void> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  if (Table !== undefined && shapeOf(Table) === shapeOf(wanted)) return;
  throw new UserError(
    `The table ${TableName} has other keys or indexes than resources/table.yml, so it belongs to another version. ` +
      "Use another GAME_FILE, or move the old one away.",
  );
};

const enableStream = async (
  client: Client,
  TableName: string,
  { StreamSpecification: { StreamViewType } }: Properties,
): Promise<void> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  if (Table?.StreamSpecification?.StreamEnabled === true) return;
  const StreamSpecification = { StreamEnabled: true, StreamViewType };
  await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
};

/**
 * Creates the table on an engine, if it does not exist.
 * @param options.region the region, for engines that keep separate tables for each
 * @param options.stream whether to enable the stream, also on an existing table; off by default because it slows down
 *   writes (docs/decisions/0009-local-stream.md)
 * @param options.client a client to use instead of a new one, for tests
 * @throws UserError if the engine cannot be reached, or has a table of this name with other keys or indexes
 */
export const createTable = async (
  endpoint: string,
  tableName: string,
  options: { region?: string; stream?: boolean; client?: Client } = {},
): Promise<void> => {
  const { region = process.env.AWS_REGION ?? "local", stream = false } = options;
  const wanted = await readDefinition();
  const settings = { endpoint, region, credentials: LOCAL_CREDENTIALS, maxAttempts: 3 };
  const { client = new DynamoDBClient(settings) } = options;
  try {
    try {
      await create(client, tableName, wanted);
    } catch (error) {
      if (!(error instanceof ResourceInUseException)) throw error;
      await assertSameShape(client, tableName, wanted);
    }
    if (stream) await enableStream(client, tableName, wanted);
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      `The database at ${endpoint} could not create the table ${tableName}: ${messageOf(error)}`,
    );
  } finally {
    client.destroy();
  }
};
