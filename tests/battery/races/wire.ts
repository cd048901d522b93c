/**
 * The engine's own protocol without the SDK, to look at a table and to put it back ten thousand times: the SDK takes four
 * times as long for a call, most of it to sign what no local engine checks. The operations go the usual way.
 */
import { Agent, request } from "node:http";
import { text } from "node:stream/consumers";
import { isDeepStrictEqual } from "node:util";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import * as z from "zod/mini";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import type { Key } from "../../../lib/dynamodb/key.ts";
import { chunk } from "../../../lib/runtime/chunk.ts";
import type { TestEnvironment } from "../../support/service.ts";
import type { Snapshot } from "../../support/snapshot.ts";

type Place = ReturnType<TestEnvironment["place"]>;

/** What an engine takes in one call. */
const MOST_READ = 100;
const MOST_WRITTEN = 25;

const agent = new Agent({ keepAlive: true });

const HEADERS = {
  "content-type": "application/x-amz-json-1.0",
  "x-amz-date": "20261121T120000Z",
  authorization:
    "AWS4-HMAC-SHA256 Credential=local/20261121/local/dynamodb/aws4_request, SignedHeaders=host, Signature=00",
};

const send = async ({ endpoint }: Place, operation: string, input: unknown): Promise<unknown> => {
  const body = JSON.stringify(input);
  const headers = { ...HEADERS, "x-amz-target": `DynamoDB_20120810.${operation}` };
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  request(endpoint, { method: "POST", agent, headers }, (reply) => {
    text(reply).then((said) => {
      if (reply.statusCode === 200) resolve(said);
      else reject(new Error(`${operation}: ${reply.statusCode} ${said}`));
    }, reject);
  })
    .on("error", reject)
    .end(body);
  return JSON.parse(await promise);
};

const Marshalled = z.custom<Record<string, AttributeValue>>((item) => typeof item === "object");
const Nothing = z.optional(z.record(z.string(), z.never()));
const Read = z.looseObject({
  Responses: z.record(z.string(), z.array(Marshalled)),
  UnprocessedKeys: Nothing,
});
const Written = z.looseObject({ UnprocessedItems: Nothing });

/** Items as they lie, those that exist. */
export const readItems = async (place: Place, keys: readonly Key[]): Promise<StoredItem[]> => {
  const found: StoredItem[] = [];
  for (const batch of chunk(keys, MOST_READ)) {
    const Keys = batch.map(({ pk, sk }) => marshall({ pk, sk }));
    const said = await send(place, "BatchGetItem", {
      RequestItems: { [place.table]: { Keys, ConsistentRead: true } },
    });
    for (const item of Read.parse(said).Responses[place.table] ?? []) {
      const { pk, sk, ...rest } = unmarshall(item);
      found.push({ ...rest, pk: String(pk), sk: String(sk) });
    }
  }
  return found;
};

/** Puts a table that lies like `now` back to how it lay. */
export const putBack = async (place: Place, now: Snapshot, then: Snapshot): Promise<void> => {
  const changed = [...then].filter(
    ([name, item]) => now.get(name) !== item && !isDeepStrictEqual(now.get(name), item),
  );
  const writes = [
    ...changed.map(([_, item]) => ({ PutRequest: { Item: marshall(item) } })),
    ...[...now]
      .filter(([name]) => !then.has(name))
      .map(([_, { pk, sk }]) => ({ DeleteRequest: { Key: marshall({ pk, sk }) } })),
  ];
  for (const batch of chunk(writes, MOST_WRITTEN)) {
    Written.parse(await send(place, "BatchWriteItem", { RequestItems: { [place.table]: batch } }));
  }
};
