/** The database on the AWS SDK. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
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
import { type Meter, metered, NO_METER } from "./capacity.ts";
import type { Database, Item, StoredItem } from "./database.ts";
import { ConditionFailed, DatabaseBusy, toDatabaseError, toStatementError } from "./errors.ts";
import { exactNumber } from "./exactNumber.ts";
import { condition, projection, queryOf, transactItem } from "./expressions.ts";
import type { Key } from "./key.ts";
import { readBatcher } from "./readBatcher.ts";

const isStored = (item: Item): item is StoredItem =>
  typeof item.pk === "string" && typeof item.sk === "string";

const stored = (items: readonly Item[] | undefined): StoredItem[] => (items ?? []).filter(isStored);

const UNPROCESSED = (): DatabaseBusy => new DatabaseBusy("items stay unprocessed");

/** No two keys have the same. */
const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** DynamoDB takes this many keys in one read, and works on this many reads at once for us. */
const KEYS_PER_READ = 100;

const READS_AT_ONCE = 8;

const PAUSE_FOR_UNPROCESSED = 25;

/** How often it is asked again for what it has left; for reads that a request waits for at its door, not so long. */
const REPEATS = 6;

const REPEATS_AT_ONCE = 2;

/**
 * The database of one table.
 * @param options.endpoint another endpoint than the region's own, for which any credentials do
 * @param options.meter hears what each call has consumed
 * @param options.wire changes the way that calls go, for tests
 */
export const openDatabase = (options: {
  table: string;
  endpoint?: string | undefined;
  meter?: Meter;
  configureClient?: (client: DynamoDBClient) => void;
}): Database => {
  const { table, endpoint, meter = NO_METER, configureClient: wire } = options;
  const plainClient = new DynamoDBClient(clientSettings(endpoint));
  // It goes through each answer for what may be logged, for a log that nobody keeps: a fifth of what a long list costs.
  plainClient.middlewareStack.remove("loggerMiddleware");
  metered(plainClient, meter);
  wire?.(plainClient);
  // A second document client of the same plain one would replace these options for both.
  const client = DynamoDBDocumentClient.from(plainClient, {
    marshallOptions: { removeUndefinedValues: true },
    // Items that others have written may hold any number there is.
    unmarshallOptions: { wrapNumbers: exactNumber },
  });

  const told = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (error) {
      throw toDatabaseError(error);
    }
  };

  /**
   * Items by up to {@link KEYS_PER_READ} keys, and the names of those keys that DynamoDB did not come to, when it was asked
   * for them again so many times. It leaves what lies in a partition that is asked too much, and refuses to be asked for
   * that alone: what it has given until then is kept.
   */
  const getBatch = async (
    keys: readonly Key[],
    consistent: boolean,
    { only, repeats = REPEATS }: { only?: readonly string[] | undefined; repeats?: number } = {},
  ): Promise<{ found: StoredItem[]; left: Set<string> }> => {
    const attributes = only === undefined ? {} : projection(["pk", "sk", ...only]);
    const found: StoredItem[] = [];
    let wanted: Item[] = keys.map(({ pk, sk }) => ({ pk, sk }));
    for (let tries = 0; wanted.length > 0 && tries <= repeats; tries += 1) {
      if (tries > 0) {
        const pause = Math.random() * PAUSE_FOR_UNPROCESSED * 2 ** tries;
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
      try {
        const answer = await told(
          client.send(
            new BatchGetCommand({
              RequestItems: { [table]: { Keys: wanted, ConsistentRead: consistent, ...attributes } },
            }),
          ),
        );
        found.push(...stored(answer.Responses?.[table]));
        wanted = answer.UnprocessedKeys?.[table]?.Keys ?? [];
      } catch (error) {
        if (tries === 0 || !(error instanceof DatabaseBusy)) throw error;
        break;
      }
    }
    return { found, left: new Set(wanted.filter(isStored).map(nameOf)) };
  };

  /** Reads keys, each once, batch by batch and some batches at once. */
  const inBatches = async <T>(keys: readonly Key[], read: (batch: Key[]) => Promise<T>): Promise<T[]> => {
    const unique = new Map(keys.map((key) => [nameOf(key), key]));
    const pages: T[] = [];
    for (const wave of chunk(chunk([...unique.values()], KEYS_PER_READ), READS_AT_ONCE)) {
      pages.push(...(await Promise.all(wave.map(read))));
    }
    return pages;
  };

  const getOne = async ({ pk, sk }: Key, consistent: boolean): Promise<StoredItem | undefined> => {
    const answer = await told(
      client.send(new GetCommand({ TableName: table, Key: { pk, sk }, ConsistentRead: consistent })),
    );
    return answer.Item !== undefined && isStored(answer.Item) ? answer.Item : undefined;
  };

  /** Reads of one consistency: those that are asked for at once, by one call. */
  const together = (consistent: boolean) =>
    readBatcher(async (wanted: readonly Key[]) => {
      const items = new Map<string, StoredItem | Error>();
      await inBatches(wanted, async (batch) => {
        const [first, second] = batch;
        if (first !== undefined && second === undefined) {
          const item = await getOne(first, consistent);
          if (item !== undefined) items.set(nameOf(first), item);
          return;
        }
        const { found, left } = await getBatch(batch, consistent, { repeats: REPEATS_AT_ONCE });
        for (const item of found) items.set(nameOf(item), item);
        // A partition that is asked too much keeps nobody from what lies in others.
        for (const name of left) items.set(name, UNPROCESSED());
      });
      return (key: Key) => items.get(nameOf(key));
    });
  const getFresh = together(true);
  const getCheap = together(false);

  return {
    get: (key, { consistent = true } = {}) => (consistent ? getFresh : getCheap)(key),

    async getMany(keys, { consistent = true, only } = {}) {
      const pages = await inBatches(keys, async (batch) => {
        const { found, left } = await getBatch(batch, consistent, { only });
        if (left.size > 0) throw UNPROCESSED();
        return found;
      });
      return pages.flat();
    },

    async query(range, limit, from) {
      const answer = await told(
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
      return { items: stored(answer.Items), next: answer.LastEvaluatedKey };
    },

    async put(item, expect) {
      await told(
        client.send(new PutCommand({ TableName: table, Item: item, ...(expect && condition(expect)) })),
      );
    },

    async extendUntil({ pk, sk }, { by, from, atMost, expires, isAhead }) {
      const ahead = {
        UpdateExpression: "SET full_at = full_at + :by, expires = :expires",
        ConditionExpression: "full_at > :from AND full_at <= :room",
        ExpressionAttributeValues: { ":by": by, ":from": from, ":room": atMost - by, ":expires": expires },
      };
      const past = {
        UpdateExpression: "SET full_at = :next, expires = :expires",
        ConditionExpression: "attribute_not_exists(full_at) OR full_at <= :from",
        ExpressionAttributeValues: { ":next": from + by, ":from": from, ":expires": expires },
      };
      for (const way of isAhead ? [ahead, past] : [past, ahead]) {
        try {
          await told(client.send(new UpdateCommand({ TableName: table, Key: { pk, sk }, ...way })));
          return true;
        } catch (error) {
          if (!(error instanceof ConditionFailed)) throw error;
        }
      }
      return false;
    },

    async transact(writes, token) {
      await told(
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
        const answer = await client.send(
          new ExecuteStatementCommand({
            Statement: text(table),
            ...(parameters.length > 0 ? { Parameters: [...parameters] } : {}),
            ...(consistent === undefined ? {} : { ConsistentRead: consistent }),
            ...(limit === undefined ? {} : { Limit: limit }),
            ...(from === undefined ? {} : { NextToken: from }),
          }),
        );
        return { items: answer.Items ?? [], next: answer.NextToken };
      } catch (error) {
        throw toStatementError(error);
      }
    },
  };
};
