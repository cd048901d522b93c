/** The table on a local engine, made from the very definition that is deployed. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  type TableDescription,
  UpdateTimeToLiveCommand,
} from "@aws-sdk/client-dynamodb";
import { parse } from "yaml";
import * as z from "zod/mini";
import { ROOT } from "./root.ts";
import { messageOf, UserError } from "./userError.ts";

const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));

/**
 * What a local engine needs of `resources/table.yml`; backups and encryption are for AWS. The stream is left out as
 * long as nothing reads it here: the embedded engine's writes grow slower with every record it keeps of them
 * (docs/decisions/0009-local-stream.md).
 */
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
    TimeToLiveSpecification: z.object({ AttributeName: z.string(), Enabled: z.boolean() }),
  }),
});
type Properties = z.infer<typeof Definition>["Properties"];

const readDefinition = async (): Promise<Properties> =>
  Definition.parse(parse(await readFile(join(ROOT, "resources/table.yml"), "utf8"))).Properties;

/** The keys and indexes in words that are equal when the tables are. */
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

const create = async (client: DynamoDBClient, TableName: string, properties: Properties): Promise<void> => {
  const { TimeToLiveSpecification, ...rest } = properties;
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      ...rest,
    }),
  );
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
};

const assertSameShape = async (
  client: DynamoDBClient,
  TableName: string,
  wanted: Properties,
): Promise<void> => {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  if (Table !== undefined && shapeOf(Table) === shapeOf(wanted)) return;
  throw new UserError(
    `The table ${TableName} there has other keys or indexes than resources/table.yml: it is of another version. ` +
      "Use another GAME_FILE, or move that one away.",
  );
};

/**
 * Makes the table on an engine; harmless when it exists.
 * @param region whose tables, where an engine keeps those of each region apart
 * @throws UserError when the engine does not answer, or has a table of that name with other keys or indexes
 */
export const createTable = async (
  endpoint: string,
  tableName: string,
  region = process.env.AWS_REGION ?? "local",
): Promise<void> => {
  const definition = await readDefinition();
  const client = new DynamoDBClient({
    endpoint,
    region,
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 3,
  });
  try {
    await create(client, tableName, definition);
  } catch (error) {
    if (error instanceof ResourceInUseException) await assertSameShape(client, tableName, definition);
    else
      throw new UserError(
        `The database at ${endpoint} does not make the table ${tableName}: ${messageOf(error)}`,
      );
  } finally {
    client.destroy();
  }
};
