/** The table by hand: reads and one transaction on the bare SDK. */
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
import type { Interaction, Player } from "./rules.ts";

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

const item = (value: object): Record<string, AttributeValue> =>
  marshall(value, { removeUndefinedValues: true });

/** One item, read consistently. */
export const get = async <T>(pk: string, sk: string): Promise<T | null> => {
  const { Item } = await client.send(
    new GetItemCommand({ TableName, Key: keyOf(pk, sk), ConsistentRead: true }),
  );
  // Whoever writes a handler by hand trusts what lies in the table.
  return Item === undefined ? null : (unmarshall(Item) as T);
};

export const player = (id: string): Promise<Player | null> => get<Player>(`PLAYER#${id}`, "PROFILE");

/** Several items by one call, in the order of their keys. */
export const getMany = async (
  keys: readonly (readonly [pk: string, sk: string])[],
  ConsistentRead: boolean,
): Promise<unknown[]> => {
  const wanted = { Keys: keys.map(([pk, sk]) => keyOf(pk, sk)), ConsistentRead };
  const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: wanted } }));
  const items = (Responses?.[TableName] ?? []).map((one) => unmarshall(one));
  return keys.map(([pk, sk]) => items.find((one) => one.pk === pk && one.sk === sk) ?? null);
};

/** The alias of a player who still has one. */
export const aliasOf = async (id: string): Promise<string | null> => {
  const wanted = {
    Keys: [keyOf(`PLAYER#${id}`, "PROFILE")],
    ProjectionExpression: "#alias",
    ExpressionAttributeNames: { "#alias": "alias" },
  };
  const { Responses } = await client.send(new BatchGetItemCommand({ RequestItems: { [TableName]: wanted } }));
  return Responses?.[TableName]?.[0]?.alias?.S ?? null;
};

export const revIs = (rev: number) => ({
  ConditionExpression: "rev = :rev",
  ExpressionAttributeValues: { ":rev": { N: String(rev) } },
});

/** A player's new item in the place of the one that was read; what else lies in it is kept. */
export const putPlayer = (before: Player, after: Player, gameRev: number): TransactWriteItem => {
  const { player_id: id, shard, state, deadline, infected_at, kills, last_kill_at } = after;
  const digits = String(Math.round(deadline ?? 0) + 1e15).padStart(16, "0");
  const order = String(9_999_999 - kills).padStart(7, "0");
  return {
    Put: {
      TableName,
      Item: item({
        ...after,
        rev: before.rev + 1,
        seen: Math.max(after.seen, gameRev),
        gsi2pk: state === "zombie" ? `ZOMBIES#${shard}` : undefined,
        gsi2sk: state === "zombie" ? `${digits}#${id}` : undefined,
        gsi3pk: infected_at === null ? undefined : `KILLS#${shard}`,
        gsi3sk: infected_at === null ? undefined : `${order}#${last_kill_at ?? ""}#${id}`,
      }),
      ...revIs(before.rev),
    },
  };
};

export const putInteraction = (
  interaction: Interaction,
  note: object | null,
  shard: number,
): TransactWriteItem[] => {
  const { interaction_id: id, parent, actor } = interaction;
  const written = {
    ...interaction,
    ...(note === null ? {} : { annotated: true }),
    pk: `INTERACTIONS#${shard}`,
    sk: id,
    gsi1pk: `INFECTIONS#${shard}`,
    gsi1sk: id,
    ...(parent === null ? {} : { gsi2pk: `INFECTED_BY#${parent}`, gsi2sk: id }),
  };
  const beside = note === null ? [] : [{ ...note, pk: `PLAYER#${actor}`, sk: `NOTE#${id}` }];
  return [written, ...beside].map((one) => ({ Put: { TableName, Item: item(one) } }));
};

/** One human less and one zombie more. */
export const countTag = (): TransactWriteItem => ({
  Update: {
    TableName,
    Key: keyOf(`COUNT#${Math.floor(Math.random() * 16)}`, "PLAYERS"),
    UpdateExpression: "ADD humans :less, zombies :more",
    ExpressionAttributeValues: { ":less": { N: "-1" }, ":more": { N: "1" } },
  },
});

/** What holds of an item that is not there. */
export const ABSENT = { ConditionExpression: "attribute_not_exists(pk)" };

/** An item in the place of one of which something holds, or of whatever is there. */
export const putWhere = (value: object, condition: object = {}): TransactWriteItem => ({
  Put: { TableName, Item: item(value), ...condition },
});

/** Nothing, unless an item has another revision. */
export const checkRev = (pk: string, sk: string, rev: number): TransactWriteItem => ({
  ConditionCheck: { TableName, Key: keyOf(pk, sk), ...revIs(rev) },
});

/** All or none. */
export const transact = async (TransactItems: TransactWriteItem[]): Promise<void> => {
  await client.send(new TransactWriteItemsCommand({ TransactItems, ClientRequestToken: randomUUID() }));
};

/** One item in the place of the one that was read. */
export const put = async (value: object, rev: number): Promise<void> => {
  await client.send(new PutItemCommand({ TableName, Item: item(value), ...revIs(rev) }));
};
