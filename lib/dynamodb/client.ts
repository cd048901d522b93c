/** The database interface, implemented with the AWS SDK. */
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { clientSettings } from "../runtime/awsClient.ts";
import { chunk } from "../runtime/chunk.ts";
import { type Meter, measureCapacity, NO_METER } from "./capacity.ts";
import type { Database, Item, StoredItem } from "./database.ts";
import { ConditionFailed, DatabaseBusy, toDatabaseError, toStatementError } from "./errors.ts";
import { exactNumber } from "./exactNumber.ts";
import { condition, projection, queryOf, transactItem } from "./expressions.ts";
import { type Key, nameOf } from "./key.ts";
import { keyOf, rawKey } from "./rawItem.ts";
import { readBatcher } from "./readBatcher.ts";

const isStored = (item: Item): item is StoredItem =>
  typeof item.pk === "string" && typeof item.sk === "string";

const stored = (items: readonly Item[] | undefined): StoredItem[] => (items ?? []).filter(isStored);

const unprocessed = (): DatabaseBusy => new DatabaseBusy("items stay unprocessed");

/** DynamoDB's limit of keys in one read. */
const KEYS_PER_READ = 100;
const MAX_PARALLEL_READS = 8;
const UNPROCESSED_PAUSE_MS = 25;

/** How often unprocessed keys are retried. Batched single reads, with which most requests begin, give up earlier. */
const MAX_RETRIES = 6;
const MAX_RETRIES_BATCHED = 2;

/**
 * Opens the database of one table.
 * @param options.endpoint an endpoint other than the region's, such as a local engine, which accepts any credentials
 * @param options.meter receives the consumed capacity of each call
 * @param options.configureClient adds middleware, for tests
 */
export const openDatabase = (options: {
  table: string;
  endpoint?: string | undefined;
  meter?: Meter;
  configureClient?: (client: DynamoDBClient) => void;
}): Database => {
  const { table, endpoint, meter = NO_METER, configureClient } = options;
  const plainClient = new DynamoDBClient(clientSettings(endpoint));
  // This middleware prepares each response for a log that is not used, which takes a fifth of the time of a long list.
  plainClient.middlewareStack.remove("loggerMiddleware");
  measureCapacity(plainClient, meter);
  configureClient?.(plainClient);
  // A second document client on the same plain client would replace these options for both.
  const client = DynamoDBDocumentClient.from(plainClient, {
    marshallOptions: { removeUndefinedValues: true },
    // Items written by game masters can contain any number.
    unmarshallOptions: { wrapNumbers: exactNumber },
  });

  const withDatabaseErrors = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw toDatabaseError(error);
    }
  };

  /**
   * Reads up to {@link KEYS_PER_READ} keys. DynamoDB leaves keys of throttled partitions unprocessed, and throws if all
   * keys of a call are throttled. After such an error in a retry, the items that were read before are returned.
   * @returns the items, and the keys that stay unprocessed, as {@link nameOf}
   */
  const getBatch = async (
    keys: readonly Key[],
    consistent: boolean,
    { only, retries = MAX_RETRIES }: { only?: readonly string[] | undefined; retries?: number } = {},
  ): Promise<{ found: StoredItem[]; unprocessedNames: Set<string> }> => {
    const attributes = only === undefined ? {} : projection(["pk", "sk", ...only]);
    const found: StoredItem[] = [];
    let wanted: Item[] = keys.map(({ pk, sk }) => ({ pk, sk }));
    for (let tries = 0; wanted.length > 0 && tries <= retries; tries += 1) {
      if (tries > 0) {
        const pause = Math.random() * UNPROCESSED_PAUSE_MS * 2 ** tries;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      try {
        const response = await withDatabaseErrors(
          client.send(
            new BatchGetCommand({
              RequestItems: { [table]: { Keys: wanted, ConsistentRead: consistent, ...attributes } },
            }),
          ),
        );
        found.push(...stored(response.Responses?.[table]));
        wanted = response.UnprocessedKeys?.[table]?.Keys ?? [];
      } catch (error) {
        if (tries === 0 || !(error instanceof DatabaseBusy)) throw error;
        break;
      }
    }
    return { found, unprocessedNames: new Set(wanted.filter(isStored).map(nameOf)) };
  };

  /** Reads unique keys in batches, several in parallel. */
  const inBatches = async <T>(keys: readonly Key[], read: (batch: Key[]) => Promise<T>): Promise<T[]> => {
    const unique = new Map(keys.map((key) => [nameOf(key), key]));
    const pages: T[] = [];
    for (const group of chunk(chunk([...unique.values()], KEYS_PER_READ), MAX_PARALLEL_READS)) {
      pages.push(...(await Promise.all(group.map(read))));
    }
    return pages;
  };

  const getOne = async ({ pk, sk }: Key, consistent: boolean): Promise<StoredItem | undefined> => {
    const response = await withDatabaseErrors(
      client.send(new GetCommand({ TableName: table, Key: { pk, sk }, ConsistentRead: consistent })),
    );
    return response.Item !== undefined && isStored(response.Item) ? response.Item : undefined;
  };

  /** Combines concurrent single reads of the same consistency into one call. */
  const batched = (consistent: boolean) =>
    readBatcher(async (wanted: readonly Key[]) => {
      const items = new Map<string, StoredItem | Error>();
      await inBatches(wanted, async (batch) => {
        const [first, second] = batch;
        if (first !== undefined && second === undefined) {
          const item = await getOne(first, consistent);
          if (item !== undefined) items.set(nameOf(first), item);
          return;
        }
        const options = { retries: MAX_RETRIES_BATCHED };
        const { found, unprocessedNames } = await getBatch(batch, consistent, options);
        for (const item of found) items.set(nameOf(item), item);
        // A throttled partition fails only the reads of its own keys.
        for (const name of unprocessedNames) items.set(name, unprocessed());
      });
      return (key: Key) => items.get(nameOf(key));
    });
  const getConsistent = batched(true);
  const getEventual = batched(false);

  return {
    get: (key, { consistent = true } = {}) => (consistent ? getConsistent : getEventual)(key),

    async getMany(keys, { consistent = true, only } = {}) {
      const pages = await inBatches(keys, async (batch) => {
        const { found, unprocessedNames } = await getBatch(batch, consistent, { only });
        if (unprocessedNames.size > 0) throw unprocessed();
        return found;
      });
      return pages.flat();
    },

    async query(range, limit, from) {
      const response = await withDatabaseErrors(
        client.send(
          new QueryCommand({
            TableName: table,
            ...(range.index === undefined ? {} : { IndexName: range.index }),
            ...queryOf(range),
            ScanIndexForward: range.descending !== true,
            ConsistentRead: range.consistent === true,
            Limit: limit,
            ...(from === undefined ? {} : { ExclusiveStartKey: from }),
          }),
        ),
      );
      return { items: stored(response.Items), next: response.LastEvaluatedKey };
    },

    async scan(limit, from) {
      const { Items = [], LastEvaluatedKey: last } = await withDatabaseErrors(
        plainClient.send(
          new ScanCommand({
            TableName: table,
            ConsistentRead: true,
            Limit: limit,
            ...(from === undefined ? {} : { ExclusiveStartKey: rawKey(from) }),
          }),
        ),
      );
      return { items: Items, next: last === undefined ? undefined : keyOf(last) };
    },

    async put(item, expect) {
      await withDatabaseErrors(
        client.send(new PutCommand({ TableName: table, Item: item, ...(expect && condition(expect)) })),
      );
    },

    async extendUntil({ pk, sk }, { by, from, atMost, expires, isAhead }) {
      const ahead = {
        UpdateExpression: "SET full_at = full_at + :by, expires = :expires",
        ConditionExpression: "full_at > :from AND full_at <= :latest",
        ExpressionAttributeValues: { ":by": by, ":from": from, ":latest": atMost - by, ":expires": expires },
      };
      const past = {
        UpdateExpression: "SET full_at = :next, expires = :expires",
        ConditionExpression: "attribute_not_exists(full_at) OR full_at <= :from",
        ExpressionAttributeValues: { ":next": from + by, ":from": from, ":expires": expires },
      };
      for (const update of isAhead ? [ahead, past] : [past, ahead]) {
        try {
          await withDatabaseErrors(
            client.send(new UpdateCommand({ TableName: table, Key: { pk, sk }, ...update })),
          );
          return true;
        } catch (error) {
          if (!(error instanceof ConditionFailed)) throw error;
        }
      }
      return false;
    },

    async transact(writes, token) {
      await withDatabaseErrors(
        client.send(
          new TransactWriteCommand({
            TransactItems: writes.map((write) => transactItem(table, write)),
            ClientRequestToken: token,
          }),
        ),
      );
    },

    async execute({ text, parameters, consistent }, { limit, from } = {}) {
      try {
        const response = await client.send(
          new ExecuteStatementCommand({
            Statement: text(table),
            ...(parameters.length > 0 ? { Parameters: [...parameters] } : {}),
            ...(consistent === undefined ? {} : { ConsistentRead: consistent }),
            ...(limit === undefined ? {} : { Limit: limit }),
            ...(from === undefined ? {} : { NextToken: from }),
          }),
        );
        return { items: response.Items ?? [], next: response.NextToken };
      } catch (error) {
        throw toStatementError(error);
      }
    },
  };
};
