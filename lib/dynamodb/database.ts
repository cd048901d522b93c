/** The database as the store uses it: seven calls, their faults told apart. Tests wrap it to inject faults. */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  ExecuteStatementCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { clientSettings } from "../runtime/awsClient.ts";
import { batchesOf } from "../runtime/chunk.ts";
import { consumed as tookInInvocation } from "../runtime/invocation.ts";
import { exactNumber } from "./exactNumber.ts";
import type { Index, Key } from "./key.ts";
import { gathering } from "./readBatcher.ts";

/** An item as it comes and goes: parsed by whoever reads it. */
export type Item = Record<string, unknown>;
export type StoredItem = Item & Key;

/**
 * What must hold for a write: the item is absent, has the `rev` or the fields that were read (`undefined` for one that
 * it did not have; numbers that may be less), or has expired.
 */
export type Expectation =
  | "absent"
  | { rev: number }
  | { is: Record<string, string | number | undefined>; atMost?: Record<string, number> }
  | { absentOrExpiredBy: number };

/** An item put in the place of whatever is there. */
export interface Put {
  put: StoredItem;
  expect?: Expectation;
}

/** One write of a transaction. */
export type Write =
  | Put
  | { remove: Key; expect?: Expectation }
  | { check: Key; expect: Expectation }
  | { increase: Key; by: Record<string, number>; expect?: Expectation }
  // Some fields of an item whose others were not read; `undefined` takes one away.
  | { set: Key; to: Item; by: Record<string, number>; expect: Expectation };

/** Which item a write is upon. */
export const keyOfWrite = (write: Write): Key => {
  if ("put" in write) return write.put;
  if ("remove" in write) return write.remove;
  if ("check" in write) return write.check;
  return "set" in write ? write.set : write.increase;
};

/** A stretch of one partition, of the table or an index; bounds are exclusive. */
export interface Range {
  index?: Index;
  pk: string;
  after?: string | undefined;
  before?: string | undefined;
  descending?: boolean;
  consistent?: boolean;
  /** Just these attributes beside `pk` and `sk`: as many units, and less to carry and to read. */
  only?: readonly string[];
}

export interface QueryPage {
  items: StoredItem[];
  next: Item | undefined;
}

/** A PartiQL statement of this table. */
export interface Statement {
  /** Its text, given the name of the table. */
  text: (table: string) => string;
  /** What its parameters stand for, in order. */
  parameters: readonly unknown[];
  consistent?: boolean;
}

export interface StatementPage {
  /** Numbers that JavaScript cannot tell apart come as their digits. */
  items: Item[];
  /** Where to go on; absent after the last page. */
  next: string | undefined;
}

/** An instant of an item, `full_at`, that is put off; all in milliseconds since 1970 but `expires`, in seconds. */
export interface PutOff {
  by: number;
  /** From here on, where it is past or not there. */
  from: number;
  atMost: number;
  expires: number;
  /** Whether it probably lies ahead of `from`; guessing wrong costs a second write. */
  isAhead: boolean;
}

/** The seven calls that everything is built on. */
export interface Database {
  /** One item, read consistently unless told otherwise; with the others that are asked for at the same instant. */
  get(key: Key, options?: { consistent?: boolean }): Promise<StoredItem | undefined>;
  /** Any number of items, in no order, those that exist; with just the attributes in `only`, where it is given. */
  getMany(
    keys: readonly Key[],
    options?: { consistent?: boolean; only?: readonly string[] },
  ): Promise<StoredItem[]>;
  /** One page of a range. */
  query(range: Range, limit: number, from?: Item): Promise<QueryPage>;
  /** One item written on its own. */
  put(item: StoredItem, expect?: Expectation): Promise<void>;
  /** Puts an instant off, without having read it; whether there was room for that. */
  putOff(key: Key, how: PutOff): Promise<boolean>;
  /** Up to 100 writes, all or none. The same `token` again within ten minutes changes nothing. */
  transact(writes: readonly Write[], token: string): Promise<void>;
  /**
   * One page of what a statement answers; `limit` counts the items that are read, before any filter.
   * @throws StatementRefused
   */
  execute(statement: Statement, options?: { limit?: number; from?: string }): Promise<StatementPage>;
}

/** A condition of a write failed: something has moved since it was read. */
export class Stale extends Error {
  override readonly name = "Stale";
}

/** The database did not take the call, or its answer was lost; the same call again may succeed. */
export class DatabaseBusy extends Error {
  override readonly name = "DatabaseBusy";
}

/** The database does not carry out a statement; its words are for whoever wrote it. */
export class StatementRefused extends Error {
  override readonly name = "StatementRefused";
}

const CONDITION_FAILED = "ConditionalCheckFailed";
/** Reasons that pass by themselves, as a cancelled transaction and as exceptions of their own. */
const PASSING = new Set([
  "TransactionConflict",
  "ThrottlingError",
  "ProvisionedThroughputExceeded",
  "ThrottlingException",
  "ProvisionedThroughputExceededException",
  "RequestLimitExceeded",
  "TransactionConflictException",
  "TransactionInProgressException",
  "InternalServerError",
  "ServiceUnavailable",
  "TimeoutError",
  "AbortError",
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ENOTFOUND",
  "EAI_AGAIN",
  "ETIMEDOUT",
]);

const property = (thing: unknown, name: string): unknown =>
  typeof thing === "object" && thing !== null ? Reflect.get(thing, name) : undefined;

/** Tells the faults of the SDK apart: {@link Stale}, {@link DatabaseBusy}, or as it came. */
export const databaseFault = (error: unknown): unknown => {
  const name = property(error, "name");
  if (name === "ConditionalCheckFailedException") return new Stale("condition failed", { cause: error });
  if (name === "TransactionCanceledException") {
    const reasons = property(error, "CancellationReasons");
    const codes = Array.isArray(reasons) ? reasons.map((reason) => property(reason, "Code")) : [];
    // A failed condition outranks a conflict: the loser of a race is to read again at once.
    if (codes.includes(CONDITION_FAILED)) return new Stale("condition failed", { cause: error });
    const real = codes.filter((code) => code !== undefined && code !== "None");
    const passing = real.length > 0 && real.every((code) => PASSING.has(String(code)));
    return passing ? new DatabaseBusy(real.join(", "), { cause: error }) : error;
  }
  const marks = [name, property(error, "code"), property(property(error, "cause"), "code")];
  const status = property(property(error, "$metadata"), "httpStatusCode");
  const passing =
    marks.some((mark) => PASSING.has(String(mark))) || (typeof status === "number" && status >= 500);
  return passing ? new DatabaseBusy(String(name), { cause: error }) : error;
};

/** Names of the faults that lie with a statement. */
const REFUSING = new Set([
  "ValidationException",
  "ConditionalCheckFailedException",
  "DuplicateItem",
  "DuplicateItemException",
  "ItemCollectionSizeLimitExceededException",
]);

/** What a statement that writes is told when it has been carried out before. */
const REPEATED = new Set(["ConditionalCheckFailedException", "DuplicateItem", "DuplicateItemException"]);

const statementFault = (error: unknown): unknown => {
  const name = String(property(error, "name"));
  const attempts = property(property(error, "$metadata"), "attempts");
  // The client asked again when an answer was lost: it may be its own first try that stands in the way.
  if (REPEATED.has(name) && typeof attempts === "number" && attempts > 1) {
    return new DatabaseBusy(name, { cause: error });
  }
  if (REFUSING.has(name)) return new StatementRefused(String(property(error, "message")), { cause: error });
  // What the policy says names roles and accounts.
  if (name === "AccessDeniedException") {
    return new StatementRefused("the access policy of this deployment forbids it", { cause: error });
  }
  return databaseFault(error);
};

interface Condition {
  ConditionExpression: string;
  ExpressionAttributeNames?: Record<string, string>;
  ExpressionAttributeValues?: Item;
}

const condition = (expect: Expectation): Condition => {
  if (expect === "absent") return { ConditionExpression: "attribute_not_exists(pk)" };
  if ("rev" in expect) {
    return { ConditionExpression: "rev = :rev", ExpressionAttributeValues: { ":rev": expect.rev } };
  }
  if ("is" in expect) {
    const bounds = Object.entries(expect.atMost ?? {});
    const fields = [...Object.entries(expect.is), ...bounds];
    const values = fields.flatMap(([, value], at) => (value === undefined ? [] : [[`:is${at}`, value]]));
    const isBound = (at: number): boolean => at >= fields.length - bounds.length;
    return {
      ConditionExpression: fields
        .map(([, value], at) => {
          if (value === undefined) return `attribute_not_exists(#is${at})`;
          return `#is${at} ${isBound(at) ? "<=" : "="} :is${at}`;
        })
        .join(" AND "),
      ExpressionAttributeNames: Object.fromEntries(fields.map(([name], at) => [`#is${at}`, name])),
      ...(values.length === 0 ? {} : { ExpressionAttributeValues: Object.fromEntries(values) }),
    };
  }
  return {
    ConditionExpression: "attribute_not_exists(pk) OR expires <= :now",
    ExpressionAttributeValues: { ":now": expect.absentOrExpiredBy },
  };
};

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];

const transactItem = (TableName: string, write: Write): TransactItem => {
  if ("put" in write) {
    return { Put: { TableName, Item: write.put, ...(write.expect && condition(write.expect)) } };
  }
  if ("remove" in write) {
    return { Delete: { TableName, Key: write.remove, ...(write.expect && condition(write.expect)) } };
  }
  if ("check" in write) {
    return { ConditionCheck: { TableName, Key: write.check, ...condition(write.expect) } };
  }
  const fields = Object.entries(write.by);
  const expected = write.expect && condition(write.expect);
  const given = "set" in write ? Object.entries(write.to) : [];
  const setTo = given.filter(([, value]) => value !== undefined);
  const gone = given.filter(([, value]) => value === undefined);
  const { pk, sk } = keyOfWrite(write);
  return {
    Update: {
      TableName,
      Key: { pk, sk },
      UpdateExpression: [
        `ADD ${fields.map((_, at) => `#f${at} :v${at}`).join(", ")}`,
        ...(setTo.length === 0 ? [] : [`SET ${setTo.map((_, at) => `#s${at} = :s${at}`).join(", ")}`]),
        ...(gone.length === 0 ? [] : [`REMOVE ${gone.map((_, at) => `#g${at}`).join(", ")}`]),
      ].join(" "),
      ...expected,
      ExpressionAttributeNames: {
        ...expected?.ExpressionAttributeNames,
        ...Object.fromEntries(fields.map(([name], at) => [`#f${at}`, name])),
        ...Object.fromEntries(setTo.map(([name], at) => [`#s${at}`, name])),
        ...Object.fromEntries(gone.map(([name], at) => [`#g${at}`, name])),
      },
      ExpressionAttributeValues: {
        ...expected?.ExpressionAttributeValues,
        ...Object.fromEntries(fields.map(([, by], at) => [`:v${at}`, by])),
        ...Object.fromEntries(setTo.map(([, value], at) => [`:s${at}`, value])),
      },
    },
  };
};

const projection = (attributes: readonly string[]) => ({
  ProjectionExpression: attributes.map((_, at) => `#a${at}`).join(", "),
  ExpressionAttributeNames: Object.fromEntries(attributes.map((name, at) => [`#a${at}`, name])),
});

const isStored = (item: Item): item is StoredItem =>
  typeof item.pk === "string" && typeof item.sk === "string";

const stored = (items: readonly Item[] | undefined): StoredItem[] => (items ?? []).filter(isStored);

const queryOf = (
  range: Range,
): Pick<
  QueryInput,
  "KeyConditionExpression" | "ProjectionExpression" | "ExpressionAttributeNames" | "ExpressionAttributeValues"
> => {
  const [pk, sk] = range.index === undefined ? ["pk", "sk"] : [`${range.index}pk`, `${range.index}sk`];
  const { after, before } = range;
  const bounds = [
    "#pk = :pk",
    ...(after !== undefined && before !== undefined ? ["#sk BETWEEN :after AND :before"] : []),
    ...(after !== undefined && before === undefined ? ["#sk > :after"] : []),
    ...(after === undefined && before !== undefined ? ["#sk < :before"] : []),
  ];
  const bounded = bounds.length > 1;
  const { ExpressionAttributeNames: attributes, ...only } =
    range.only === undefined ? {} : projection(["pk", "sk", ...range.only]);
  return {
    KeyConditionExpression: bounds.join(" AND "),
    ...only,
    ExpressionAttributeNames: { "#pk": pk, ...(bounded ? { "#sk": sk } : {}), ...attributes },
    ExpressionAttributeValues: {
      ":pk": range.pk,
      ...(after === undefined ? {} : { ":after": after }),
      ...(before === undefined ? {} : { ":before": before }),
    },
  };
};

type QueryInput = ConstructorParameters<typeof QueryCommand>[0];

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

/** What a call has consumed, in capacity units; of each index just where that was asked for. */
export interface Consumption {
  /** Which kind of units they are. */
  what: "read" | "write";
  units: number;
  indexes: Readonly<Record<string, number>>;
}

/** Hears what each call of the database has consumed; of one that failed DynamoDB does not tell. */
export interface Meter {
  detail: "TOTAL" | "INDEXES";
  consumed: (consumption: Consumption) => void;
}

const unitsOf = (capacity: unknown): number => {
  const units = property(capacity, "CapacityUnits");
  return typeof units === "number" ? units : 0;
};

const isRead = (command: string, input: unknown): boolean =>
  /^(Get|BatchGet|Query)/.test(command) || /^\s*select\b/i.test(String(property(input, "Statement") ?? ""));

const consumptionOf = (asked: Consumption["what"], told: unknown): Consumption[] =>
  (Array.isArray(told) ? told : told === undefined ? [] : [told]).map((capacity: unknown) => {
    // A transaction that is asked for again, after an answer was lost, only reads.
    const what = property(capacity, "ReadCapacityUnits") === undefined ? asked : "read";
    const indexes = property(capacity, "GlobalSecondaryIndexes") ?? {};
    const byIndex = Object.entries(indexes).map(([name, units]) => [name, unitsOf(units)]);
    return { what, units: unitsOf(capacity), indexes: Object.fromEntries(byIndex) };
  });

/** Has every call of a client say what it consumed: for the line of the invocation that made it, and for the meter. */
const metered = (client: DynamoDBClient, { detail, consumed }: Meter): void => {
  client.middlewareStack.add(
    (next, { commandName = "" }) =>
      async (args) => {
        const input = { ...args.input, ReturnConsumedCapacity: detail };
        const result = await next({ ...args, input });
        const asked = isRead(commandName, args.input) ? "read" : "write";
        for (const one of consumptionOf(asked, property(result.output, "ConsumedCapacity"))) {
          tookInInvocation(one.what, one.units);
          consumed(one);
        }
        return result;
      },
    { step: "initialize", name: "meter" },
  );
};

const NO_METER: Meter = { detail: "TOTAL", consumed: () => {} };

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
  wire?: (client: DynamoDBClient) => void;
}): Database => {
  const { table, endpoint, meter = NO_METER, wire } = options;
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
      throw databaseFault(error);
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
    for (const wave of batchesOf(batchesOf([...unique.values()], KEYS_PER_READ), READS_AT_ONCE)) {
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
    gathering(async (wanted: readonly Key[]) => {
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

    async putOff({ pk, sk }, { by, from, atMost, expires, isAhead }) {
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
          if (!(error instanceof Stale)) throw error;
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
        throw statementFault(error);
      }
    },
  };
};
