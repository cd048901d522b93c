/** Accesses the table with the SDK alone: reads, and one transaction. */
import { randomUUID } from "node:crypto";
import {
  type AttributeValue,
  BatchGetItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  type TransactWriteItem,
  TransactWriteItemsCommand,
} from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type { Interaction } from "../../../lib/domain/hunts/interaction.ts";
import type { Player } from "./rules.ts";

const TableName = process.env.TABLE_NAME ?? "";
const { DYNAMODB_ENDPOINT: endpoint } = process.env;

const client = new DynamoDBClient({
  maxAttempts: 3,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 2_000, throwOnRequestTimeout: true },
  ...(endpoint === undefined
    ? {}
    : { endpoint, credentials: { accessKeyId: "local", secretAccessKey: "local" } }),
});

const keyOf = (pk: string, sk: string): Record<string, AttributeValue> => ({ pk: { S: pk }, sk: { S: sk } });

/** Reads one item consistently. */
export const get = async <T>(pk: string, sk: string): Promise<T | null> => {
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: keyOf(pk, sk), ConsistentRead: true }),
  );
  // Stored items are not validated.
  return Item === undefined ? null : (unmarshall(Item) as T);
};

export const getPlayer = (id: string): Promise<Player | null> => get<Player>(`PLAYER#${id}`, "PROFILE");

/** Reads several items in one call; returns them in the order of their keys. */
export const getMany = async (
  keys: readonly (readonly [pk: string, sk: string])[],
  ConsistentRead: boolean,
): Promise<unknown[]> => {
  const wanted = { Keys: keys.map(([pk, sk]) => keyOf(pk, sk)), ConsistentRead };
  const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: wanted } }));
  const items = (Responses?.[TableName] ?? []).map((one) => unmarshall(one));
  return keys.map(([pk, sk]) => items.find((one) => one.pk === pk && one.sk === sk) ?? null);
};

/** Returns the alias of a player, or `null` if the player was deleted. */
export const aliasOf = async (id: string): Promise<string | null> => {
  const wanted = {
    Keys: [keyOf(`PLAYER#${id}`, "PROFILE")],
    ProjectionExpression: "#alias",
    ExpressionAttributeNames: { "#alias": "alias" },
  };
  const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: wanted } }));
  return Responses?.[TableName]?.[0]?.alias?.S ?? null;
};

const putOf = (item: object, rev?: number) => ({
  TableName,
  Item: marshall(item, { removeUndefinedValues: true }),
  ...(rev === undefined
    ? {}
    : { ConditionExpression: "rev = :rev", ExpressionAttributeValues: { ":rev": { N: String(rev) } } }),
});

/** Replaces an item if its `rev` has not changed. */
export const put = async (item: object, rev: number): Promise<void> => {
  await client.send(new PutItemCommand(putOf(item, rev)));
};

/** The write that replaces a player's item if its `rev` has not changed. */
export const putPlayer = (before: Player, after: Player, gameRev: number): TransactWriteItem => {
  const { player_id: id, shard, state, deadline, infected_at, kills, last_kill_at } = after;
  const digits = String(Math.round(deadline ?? 0) + 1e15).padStart(16, "0");
  const order = String(9_999_999 - kills).padStart(7, "0");
  const item = {
    ...after,
    rev: before.rev + 1,
    seen: Math.max(after.seen, gameRev),
    gsi2pk: state === "zombie" ? `ZOMBIES#${shard}` : undefined,
    gsi2sk: state === "zombie" ? `${digits}#${id}` : undefined,
    gsi3pk: infected_at === null ? undefined : `KILLS#${shard}`,
    gsi3sk: infected_at === null ? undefined : `${order}#${last_kill_at ?? ""}#${id}`,
  };
  return { Put: putOf(item, before.rev) };
};

export const putInteraction = (interaction: Interaction, shard: number): TransactWriteItem => {
  const { interaction_id: id, parent } = interaction;
  const infected = !parent ? {} : { gsi2pk: `INFECTED_BY#${parent}`, gsi2sk: id };
  const keys = { pk: `INTERACTIONS#${shard}`, sk: id, gsi1pk: `INFECTIONS#${shard}`, gsi1sk: id };
  return { Put: putOf({ ...interaction, ...keys, ...infected }) };
};

/** The write that counts a tag, one human less and one zombie more, in a random counter slot of a shard. */
export const countTag = (shard: number): TransactWriteItem => ({
  Update: {
    TableName,
    Key: keyOf(`COUNT#${shard}`, `${shard}#${Math.floor(Math.random() * 256)}`),
    UpdateExpression: "ADD humans :less, zombies :more",
    ExpressionAttributeValues: { ":less": { N: "-1" }, ":more": { N: "1" } },
  },
});

/** Executes writes in one transaction. */
export const transact = async (TransactItems: TransactWriteItem[]): Promise<void> => {
  await client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: randomUUID() }));
};
