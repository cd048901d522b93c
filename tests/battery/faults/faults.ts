/** Faults of DynamoDB calls and of queue messages: dying processes, errors, unprocessed keys, outdated reads. */
import { randomUUID } from "node:crypto";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Key } from "../../../lib/dynamodb/key.ts";
import type { Queue } from "../../../lib/queue/queue.ts";
import { type Any, type Call, die, type Fault, type Injection, makeCall, outlive } from "./process.ts";

type Inject = Fault["inject"];

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

/** The name of the table with an earlier state, from which reads that lag are served. */
export const EARLIER_TABLE = `behind-${randomUUID()}`;

/** Reads from the table as it was earlier. */
const lagging: Inject = async ({ input, executeWith }) => {
  if (input.RequestItems === undefined) return executeWith({ ...input, TableName: EARLIER_TABLE });
  const [[table = "", wanted] = []] = Object.entries(input.RequestItems);
  const { output, ...read } = await executeWith({ ...input, RequestItems: { [EARLIER_TABLE]: wanted } });
  return { ...read, output: { ...output, Responses: { [table]: output.Responses[EARLIER_TABLE] } } };
};

const named =
  (...operations: string[]) =>
  (name: string): boolean =>
    operations.some((operation) => name.startsWith(`${operation} `));
const any = (): boolean => true;
const isOfDatabase = (name: string): boolean => !name.startsWith("send ");
const transacts = named("TransactWriteItems");
const writes = named("TransactWriteItems", "PutItem", "UpdateItem", "ExecuteStatement UPDATE");
const changes = (name: string): boolean => writes(name) || !isOfDatabase(name);
const isEventualRead = (name: string): boolean => name.endsWith(" (eventual)");
/** A retry may succeed. tests/unit/databaseErrors.test.ts has the other names of such errors. */
const busy = failing("TransactionConflictException");
const denied = failing("AccessDeniedException");
// Not PartiQL statements of game masters: their response contains the error of the database, which is not a leak.
const mayBeDenied = (name: string): boolean => !name.startsWith("ExecuteStatement");

/** Faults after which later calls have the same. */
const unavailable: Fault = { fits: isOfDatabase, inject: busy };
const noWrites: Fault = { fits: transacts, inject: busy };
const lags: Fault = { fits: isEventualRead, inject: lagging, lags: "throughout" };
const unprocessed: Fault = { fits: named("BatchGetItem"), inject: leaving(1) };

const FAULTS: Readonly<Record<string, Fault>> = {
  "dies before": { fits: any, inject: die },
  "dies after": { fits: changes, inject: after(die) },
  busy: unavailable,
  "busy after": { fits: writes, inject: after(busy) },
  unavailable: { ...unavailable, lasts: unavailable },
  "unavailable after": { fits: writes, inject: after(busy), lasts: unavailable },
  "busy after, token forgotten": {
    // As if DynamoDB had forgotten the token: only transactions that recognize their repetition by an item.
    fits: (name) => transacts(name) && /INTERACTIONS#|LOGS#|#ONCE#/.test(name),
    async inject(request) {
      await request.executeWith({ ...request.input, ClientRequestToken: randomUUID() });
      return busy(request);
    },
  },
  "writes unavailable": { ...noWrites, lasts: noWrites },
  denied: { fits: mayBeDenied, inject: denied, breaks: true },
  "denied after": { fits: (name) => changes(name) && mayBeDenied(name), inject: after(denied), breaks: true },
  "lags once": { ...lags, lags: "once" },
  lags: { ...lags, lasts: lags },
  conflict: { fits: transacts, inject: cancelling("TransactionConflict") },
  "conflict and condition": {
    // DynamoDB never reports a failed condition falsely. At a job's end, one means that nothing is left to do.
    fits: (name) => transacts(name) && !/ END(,|$)/.test(name),
    inject: cancelling("ConditionalCheckFailed", "TransactionConflict"),
  },
  "some unprocessed": { fits: named("BatchGetItem"), inject: leaving(0.5) },
  "none processed": unprocessed,
  "unprocessed for good": { ...unprocessed, lasts: unprocessed },
  "a short page": {
    fits: named("Query"),
    inject: ({ input, executeWith }) => executeWith({ ...input, Limit: 1 }),
  },
};

/** A queue whose calls can have faults. */
export const faultyQueue = (usual: Queue): Queue => ({
  send(messages) {
    const execute = () => outlive(usual.send(messages));
    const kinds = messages.map(({ message: { kind } }) => kind).join(", ");
    return makeCall(`send ${kinds}`, { input: {}, execute, executeWith: execute });
  },
});

/** The faults that a call can have. */
export const injectionsAt = (call: Call): Injection[] =>
  Object.entries(FAULTS).flatMap(([fault, effect]) =>
    effect.fits(call.name) ? [{ call, fault, effect }] : [],
  );

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

/** Injects faults into the calls of a client. The middleware is outside the SDK's retries, so a fault is not retried. */
export const withFaultyCalls = ({ middlewareStack }: DynamoDBClient): void =>
  middlewareStack.add(
    (next, { commandName = "" }) =>
      (args) =>
        makeCall(nameOf(commandName.replace(/Command$/, ""), args.input), {
          input: args.input,
          execute: () => outlive(next(args)),
          executeWith: (input: Any) => outlive(next({ ...args, input })),
        }),
    { step: "initialize" },
  );
