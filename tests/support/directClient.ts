/**
 * A direct connection to an engine on this machine: plain JSON requests without what the SDK does for a remote database
 * (signatures, endpoints, retries), at a sixth of the cost.
 */
import { type AttributeValue, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { Pool } from "undici";
import { SHARED_ENGINE } from "./engine.ts";

const MAX_CONNECTIONS = 16;

const pools = new Map<string, Pool>();

const poolOf = (endpoint: string): Pool => {
  const pool = pools.get(endpoint) ?? new Pool(endpoint, { connections: MAX_CONNECTIONS });
  pools.set(endpoint, pool);
  return pool;
};

/** The engine requires a signature, and does not check it. */
const HEADERS = {
  "content-type": "application/x-amz-json-1.0",
  "x-amz-date": "20400101T000000Z",
  authorization:
    "AWS4-HMAC-SHA256 Credential=local/20400101/local/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
};

/** Commands whose items are read differently: they use the SDK. */
const SDK_COMMANDS = new Set(["ExecuteStatementCommand"]);

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** An item as the engine expects it; only top-level attributes hold bytes. */
const marshalItem = (item: Record<string, unknown>): unknown => {
  const marshalled = Object.entries(marshall(item, { removeUndefinedValues: true }));
  return Object.fromEntries(
    marshalled.map(([name, value]) => [
      name,
      value.B === undefined ? value : { B: Buffer.from(value.B).toString("base64") },
    ]),
  );
};

/** Fields of a request that hold an item or a part of one. */
const ITEMS = new Set(["Item", "Key", "ExpressionAttributeValues", "ExclusiveStartKey"]);

const toRequest = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toRequest);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (ITEMS.has(name) && isRecord(one)) return [name, marshalItem(one)];
      if (name === "Keys" && Array.isArray(one)) return [name, one.map(marshalItem)];
      return [name, toRequest(one)];
    }),
  );
};

/** Items as the engine returns them. */
type StoredItem = Record<string, AttributeValue>;

const unmarshalItem = (item: StoredItem) => {
  for (const [name, { B }] of Object.entries(item)) {
    if (B !== undefined) item[name] = { B: new Uint8Array(Buffer.from(String(B), "base64")) };
  }
  return unmarshall(item);
};

/** The engine's response, as the SDK would return it. */
const toResponse = (text: string) => {
  const output = JSON.parse(text);
  for (const name of ["Item", "LastEvaluatedKey"]) {
    if (output[name] !== undefined) output[name] = unmarshalItem(output[name]);
  }
  if (output.Items !== undefined) output.Items = output.Items.map(unmarshalItem);
  for (const [table, items] of Object.entries(output.Responses ?? {})) {
    if (Array.isArray(items)) output.Responses[table] = items.map(unmarshalItem);
  }
  if (Object.keys(output.UnprocessedKeys ?? {}).length > 0)
    throw new Error("a local engine processes all keys");
  return output;
};

/** An error, with the fields of the SDK's that are read. */
const toError = (status: number, text: string): Error => {
  const { __type, message, Message, CancellationReasons } = JSON.parse(text);
  const name = String(__type).split("#").at(-1);
  const $metadata = { httpStatusCode: status, attempts: 1 };
  return Object.assign(new Error(message ?? Message), { name, CancellationReasons, $metadata });
};

/** Connects a document client directly to the engine at this endpoint. */
export const connectDirectly =
  (endpoint: string) =>
  (client: DynamoDBClient): void => {
    const pool = poolOf(endpoint);
    client.middlewareStack.add(
      (next, { commandName = "" }) =>
        async (args) => {
          if (SDK_COMMANDS.has(commandName)) return next(args);
          const operation = commandName.replace(/Command$/, "").replace(/^(Get|Put|Update)$/, "$1Item");
          const response = await pool.request({
            path: "/",
            method: "POST",
            headers: { ...HEADERS, "x-amz-target": `DynamoDB_20120810.${operation}` },
            body: JSON.stringify(toRequest(args.input)),
          });
          const text = await response.body.text();
          if (response.statusCode >= 300) throw toError(response.statusCode, text);
          return { output: toResponse(text), response };
        },
      { step: "initialize", name: "connectDirectly", priority: "low" },
    );
  };

const clients = new Map<string, DynamoDBDocumentClient>();

/** A client to look behind the store; one for each engine, since opening one costs more than using it. */
export const clientOf = (endpoint: string): DynamoDBDocumentClient => {
  const known = clients.get(endpoint);
  if (known !== undefined) return known;
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const plain = new DynamoDBClient({ endpoint, region: "local", credentials });
  if (SHARED_ENGINE === undefined) connectDirectly(endpoint)(plain);
  const client = DynamoDBDocumentClient.from(plain);
  clients.set(endpoint, client);
  return client;
};
