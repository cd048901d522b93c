/** Faults of DynamoDB calls and of queue messages: dying processes, errors, unprocessed keys, outdated reads. */
import { randomUUID } from "node:crypto";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Key } from "../../../lib/dynamodb/key.ts";
import type { Queue } from "../../../lib/queue/queue.ts";
import { type Call, die, type Fault, type FaultKind, type Injection, makeCall, outlive } from "./process.ts";

// biome-ignore lint/suspicious/noExplicitAny: the input and the output of any operation
type Any = any;

/** A command of the SDK client, intercepted before it is serialized and after its response is parsed. */
interface CommandCall {
  input: Any;
  execute: () => Promise<Any>;
  /** Executes it with another input. */
  executeWith: (input: object) => Promise<Any>;
  /** The name of a table with an earlier state of this one. */
  earlierTable: string;
}

type Inject = Fault<CommandCall, Any>["inject"];

/** Part of every injected error: no response may contain it. */
const LEAK_MARKER = "text of an injected error";

const failing =
  (name: string, more: object = {}): Inject =>
  async () => {
    const message = `${LEAK_MARKER}: ${name} of arn:aws:dynamodb:eu-central-1:123456789012:table/game`;
    throw Object.assign(new Error(message), { name, ...more });
  };

/** Executes the call, and then fails with the fault. */
const after =
  (inject: Inject): Inject =>
  async (request) => {
    await request.execute();
    return inject(request);
  };

/** A cancelled transaction, with these reasons for its first items. */
const cancelling =
  (...codes: string[]): Inject =>
  async (request) => {
    const { TransactItems } = request.input;
    const CancellationReasons = TransactItems.map((_: Any, at: number) => ({ Code: codes[at] ?? "None" }));
    return failing("TransactionCanceledException", { CancellationReasons })(request);
  };

/** Reads some of the keys and leaves the others unprocessed. */
const leaving =
  (share: number): Inject =>
  async ({ input, executeWith }) => {
    const [[table = "", { Keys, ...how } = { Keys: [] }] = []] = Object.entries<Any>(input.RequestItems);
    const kept = Math.floor(Keys.length * (1 - share));
    const some = { [table]: { Keys: Keys.slice(0, kept), ...how } };
    const read = kept === 0 ? { output: {} } : await executeWith({ ...input, RequestItems: some });
    return { ...read, output: { ...read.output, UnprocessedKeys: { [table]: { Keys: Keys.slice(kept) } } } };
  };

/** Reads from the table as it was earlier. */
const lagging: Inject = async ({ input, executeWith, earlierTable }) => {
  if (input.RequestItems === undefined) return executeWith({ ...input, TableName: earlierTable });
  const [[table = "", wanted] = []] = Object.entries(input.RequestItems);
  const read = await executeWith({ ...input, RequestItems: { [earlierTable]: wanted } });
  return { ...read, output: { ...read.output, Responses: { [table]: read.output.Responses[earlierTable] } } };
};

const named =
  (...operations: string[]) =>
  (name: string): boolean =>
    operations.some((operation) => name.startsWith(`${operation} `));
const any = (): boolean => true;
const transacts = named("TransactWriteItems");
const writes = named("TransactWriteItems", "PutItem", "UpdateItem", "ExecuteStatement UPDATE");
const isEventualRead = (name: string): boolean => name.endsWith(" (eventual)");
/** A retry may succeed. tests/unit/databaseErrors.test.ts has the other names of such errors. */
const busy = failing("TransactionConflictException");
const denied = failing("AccessDeniedException");
// Not PartiQL statements of game masters: their response contains the error of the database, which is not a leak.
const mayBeDenied = (name: string): boolean => !name.startsWith("ExecuteStatement");

const REQUEST_FAULTS: Readonly<Record<string, Fault<CommandCall, Any>>> = {
  "dies before": { fits: any, inject: die },
  "dies after": { fits: writes, inject: after(die) },
  busy: { fits: any, inject: busy },
  "busy after": { fits: writes, inject: after(busy) },
  unavailable: { fits: any, inject: busy, lasts: "unavailable" },
  "unavailable after": { fits: writes, inject: after(busy), lasts: "unavailable" },
  "busy after, token forgotten": {
    // As if DynamoDB had forgotten the token: only transactions that recognize their repetition by an item.
    fits: (name) => transacts(name) && /INTERACTIONS#|LOGS#|#ONCE#/.test(name),
    async inject(request) {
      await request.executeWith({ ...request.input, ClientRequestToken: randomUUID() });
      return busy(request);
    },
  },
  "writes unavailable": { fits: transacts, inject: busy, lasts: "writes unavailable" },
  denied: { fits: mayBeDenied, inject: denied, breaks: true },
  "denied after": { fits: (name) => writes(name) && mayBeDenied(name), inject: after(denied), breaks: true },
  "lags once": { fits: isEventualRead, inject: lagging, lags: "once" },
  lags: { fits: isEventualRead, inject: lagging, lags: "throughout", lasts: "lags" },
  conflict: { fits: transacts, inject: cancelling("TransactionConflict") },
  "conflict and condition": {
    // DynamoDB never reports a failed condition falsely. At a job's end, one means that nothing is left to do.
    fits: (name) => transacts(name) && !/ END(,|$)/.test(name),
    inject: cancelling("ConditionalCheckFailed", "TransactionConflict"),
  },
  "some unprocessed": { fits: named("BatchGetItem"), inject: leaving(0.5) },
  "none processed": { fits: named("BatchGetItem"), inject: leaving(1) },
  "unprocessed for good": { fits: named("BatchGetItem"), inject: leaving(1), lasts: "unprocessed for good" },
  "a short page": {
    fits: named("Query"),
    inject: ({ input, executeWith }) => executeWith({ ...input, Limit: 1 }),
  },
};

/** Messages put on the queue. */
interface Sending {
  execute: () => Promise<void>;
}

const broken = (): never => {
  throw new Error(`${LEAK_MARKER}: it broke`);
};

const QUEUE_FAULTS: Readonly<Record<string, Fault<Sending, void>>> = {
  "dies before": { fits: any, inject: die },
  "dies after": { fits: any, inject: ({ execute }) => execute().then(die) },
  broken: { fits: any, inject: async () => broken(), breaks: true },
  "broken after": { fits: any, inject: ({ execute }) => execute().then(broken), breaks: true },
};

/** A queue whose calls can have faults. */
export const faultyQueue = (usual: Queue): Queue => ({
  send: (messages) =>
    makeCall(`send ${messages.map(({ message: { kind } }) => kind).join(", ")}`, QUEUE_FAULTS, {
      execute: () => outlive(usual.send(messages)),
    }),
});

/** The faults that a call can have. */
export const injectionsAt = (call: Call): Injection[] => {
  const kinds: Readonly<Record<string, FaultKind>> = call.name.startsWith("send ")
    ? QUEUE_FAULTS
    : REQUEST_FAULTS;
  return Object.entries(kinds).flatMap(([fault, effect]) =>
    effect.fits(call.name) ? [{ call, fault, effect }] : [],
  );
};

const keysOf = (input: Any): (Partial<Key> | undefined)[] => {
  const { RequestItems, TransactItems, ExpressionAttributeValues: values, Statement } = input;
  if (RequestItems !== undefined)
    return Object.values<{ Keys: Key[] }>(RequestItems).flatMap(({ Keys }) => Keys);
  if (TransactItems !== undefined) {
    return TransactItems.flatMap((item: Record<string, { Key?: Key; Item?: Key }>) =>
      Object.values(item).map(({ Key, Item }) => Key ?? Item),
    );
  }
  if (values?.[":pk"] !== undefined) return [{ pk: values[":pk"], sk: input.IndexName }];
  return [Statement === undefined ? (input.Key ?? input.Item) : { pk: Statement.split(/\s/)[0] }];
};

const MASKS: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "*"],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, "*"],
  [/^(CODE|COUNT|REF)#.*/g, "$1#*"],
  // The counter slot is random.
  [/^\d+#\d+$/g, "*"],
];

/**
 * The name of a call: its operation, each key once with its number of occurrences, and whether it reads an index or
 * replicas that may lag. It is the same in every run, although ids and counter slots are random.
 */
const nameOf = (operation: string, input: Any): string => {
  const names = keysOf(input).map((key) =>
    [key?.pk ?? "", key?.sk ?? ""]
      .map((part) => MASKS.reduce((text, [pattern, replacement]) => text.replace(pattern, replacement), part))
      .join(" "),
  );
  const counted = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) =>
    length === 1 ? name : `${length} × ${name}`,
  );
  const [read = input] = Object.values<{ ConsistentRead?: boolean }>(input.RequestItems ?? {});
  const isEventual = /^(Query|GetItem|BatchGetItem)$/.test(operation) && read.ConsistentRead !== true;
  return `${operation} ${counted.join(", ")}${isEventual ? " (eventual)" : ""}`;
};

/**
 * Injects faults into the calls of a client. The middleware is outside the SDK's retries, so a fault is not retried.
 * @param earlierTable the name of a table with an earlier state of this one
 */
export const withFaultyCalls =
  (earlierTable: string) =>
  ({ middlewareStack }: DynamoDBClient): void =>
    middlewareStack.add(
      (next, { commandName = "" }) =>
        (args) =>
          makeCall(nameOf(commandName.replace(/Command$/, ""), args.input), REQUEST_FAULTS, {
            input: args.input,
            execute: () => outlive(next(args)),
            executeWith: (input: Any) => outlive(next({ ...args, input })),
            earlierTable,
          }),
      { step: "initialize" },
    );
