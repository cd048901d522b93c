/** Faults of calls of DynamoDB and of messages: processes die, errors, unprocessed items, lagging indexes. */
import { randomUUID } from "node:crypto";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Key } from "../../../lib/dynamodb/key.ts";
import type { Queue } from "../../../lib/queue/queue.ts";
import { type Call, die, type Fault, type FaultKind, type Injection, makeCall, outlive } from "./process.ts";

// biome-ignore lint/suspicious/noExplicitAny: the input and the output of any operation
type Any = any;

/** A call of the SDK, before it is written as a request, and after its response is read. */
interface Request {
  input: Any;
  carryOut: () => Promise<Any>;
  /** Carries it out with another input. */
  handOn: (input: object) => Promise<Any>;
  /** The name of a table that is as this one was earlier. */
  past: string;
}

type Strike = Fault<Request, Any>["strike"];

/** Part of every injected error: no response may contain it. */
const INNERMOST = "innermost words";

const failing =
  (name: string, more: object = {}): Strike =>
  async () => {
    const message = `${INNERMOST}: ${name} of arn:aws:dynamodb:eu-central-1:123456789012:table/game`;
    throw Object.assign(new Error(message), { name, ...more });
  };

/** Carries the call out, and then has the fault. */
const after =
  (strike: Strike): Strike =>
  async (request) => {
    await request.carryOut();
    return strike(request);
  };

/** A cancelled transaction, with these reasons for its first items. */
const cancelling =
  (...codes: string[]): Strike =>
  async (request) => {
    const { TransactItems } = request.input;
    const CancellationReasons = TransactItems.map((_: Any, at: number) => ({ Code: codes[at] ?? "None" }));
    return failing("TransactionCanceledException", { CancellationReasons })(request);
  };

/** Reads some of the keys and leaves the others unprocessed. */
const leaving =
  (share: number): Strike =>
  async ({ input, handOn }) => {
    const [[table = "", { Keys, ...how } = { Keys: [] }] = []] = Object.entries<Any>(input.RequestItems);
    const kept = Math.floor(Keys.length * (1 - share));
    const some = { [table]: { Keys: Keys.slice(0, kept), ...how } };
    const read = kept === 0 ? { output: {} } : await handOn({ ...input, RequestItems: some });
    return { ...read, output: { ...read.output, UnprocessedKeys: { [table]: { Keys: Keys.slice(kept) } } } };
  };

/** Reads from the table as it was earlier. */
const lagging: Strike = async ({ input, handOn, past }) => {
  if (input.RequestItems === undefined) return handOn({ ...input, TableName: past });
  const [[table = "", wanted] = []] = Object.entries(input.RequestItems);
  const read = await handOn({ ...input, RequestItems: { [past]: wanted } });
  return { ...read, output: { ...read.output, Responses: { [table]: read.output.Responses[past] } } };
};

const named =
  (...operations: string[]) =>
  (name: string): boolean =>
    operations.some((operation) => name.startsWith(`${operation} `));
const any = (): boolean => true;
const transacts = named("TransactWriteItems");
const writes = named("TransactWriteItems", "PutItem", "UpdateItem", "ExecuteStatement UPDATE");
const readsLate = (name: string): boolean => name.endsWith(" late");
/** A retry may succeed. tests/unit/databaseErrors.test.ts has the other names of such errors. */
const busy = failing("TransactionConflictException");
const denied = failing("AccessDeniedException");
// The caller of a statement gets the error of the database.
const mayBeDenied = (name: string): boolean => !name.startsWith("ExecuteStatement");

const REQUEST_FAULTS: Readonly<Record<string, Fault<Request, Any>>> = {
  "dies before": { fits: any, strike: die },
  "dies after": { fits: writes, strike: after(die) },
  busy: { fits: any, strike: busy },
  "busy after": { fits: writes, strike: after(busy) },
  away: { fits: any, strike: busy, lasts: "away" },
  "away after": { fits: writes, strike: after(busy), lasts: "away" },
  "busy after, token forgotten": {
    // A transaction that writes an item which identifies it when it is repeated.
    fits: (name) => transacts(name) && /INTERACTIONS#|LOGS#|#ONCE#/.test(name),
    async strike(request) {
      await request.handOn({ ...request.input, ClientRequestToken: randomUUID() });
      return busy(request);
    },
  },
  "writes away": { fits: transacts, strike: busy, lasts: "writes away" },
  denied: { fits: mayBeDenied, strike: denied, breaks: true },
  "denied after": { fits: (name) => writes(name) && mayBeDenied(name), strike: after(denied), breaks: true },
  "lags once": { fits: readsLate, strike: lagging, lags: "once" },
  lags: { fits: readsLate, strike: lagging, lags: "throughout", lasts: "lags" },
  conflict: { fits: transacts, strike: cancelling("TransactionConflict") },
  "conflict and condition": {
    // DynamoDB never reports a failed condition falsely. At a job's end, one means that nothing is left to do.
    fits: (name) => transacts(name) && !/ END(,|$)/.test(name),
    strike: cancelling("ConditionalCheckFailed", "TransactionConflict"),
  },
  "some unprocessed": { fits: named("BatchGetItem"), strike: leaving(0.5) },
  "none processed": { fits: named("BatchGetItem"), strike: leaving(1) },
  "unprocessed for good": { fits: named("BatchGetItem"), strike: leaving(1), lasts: "unprocessed for good" },
  "a short page": { fits: named("Query"), strike: ({ input, handOn }) => handOn({ ...input, Limit: 1 }) },
};

/** Messages put on the queue. */
interface Sending {
  carryOut: () => Promise<void>;
}

const broken = (): never => {
  throw new Error(`${INNERMOST}: it broke`);
};

const QUEUE_FAULTS: Readonly<Record<string, Fault<Sending, void>>> = {
  "dies before": { fits: any, strike: die },
  "dies after": { fits: any, strike: ({ carryOut }) => carryOut().then(die) },
  broken: { fits: any, strike: async () => broken(), breaks: true },
  "broken after": { fits: any, strike: ({ carryOut }) => carryOut().then(broken), breaks: true },
};

/** A queue whose calls can have faults. */
export const faultyQueue = (usual: Queue): Queue => ({
  send: (messages) =>
    makeCall(`send ${messages.map(({ message: { kind } }) => kind).join(", ")}`, QUEUE_FAULTS, {
      carryOut: () => outlive(usual.send(messages)),
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
      .map((part) => MASKS.reduce((text, [drawn, by]) => text.replace(drawn, by), part))
      .join(" "),
  );
  const counted = [...Map.groupBy(names, (name) => name)].map(([name, { length }]) =>
    length === 1 ? name : `${length} × ${name}`,
  );
  const [read = input] = Object.values<{ ConsistentRead?: boolean }>(input.RequestItems ?? {});
  const isLate = /^(Query|GetItem|BatchGetItem)$/.test(operation) && read.ConsistentRead !== true;
  return `${operation} ${counted.join(", ")}${isLate ? " late" : ""}`;
};

/**
 * Lets the calls of a client have faults, which the SDK does not retry.
 * @param past the name of a table that is as this one was earlier
 */
export const withFaultyCalls =
  (past: string) =>
  ({ middlewareStack }: DynamoDBClient): void =>
    middlewareStack.add(
      (next, { commandName = "" }) =>
        (args) =>
          makeCall(nameOf(commandName.replace(/Command$/, ""), args.input), REQUEST_FAULTS, {
            input: args.input,
            carryOut: () => outlive(next(args)),
            handOn: (input: Any) => outlive(next({ ...args, input })),
            past,
          }),
      { step: "initialize" },
    );
