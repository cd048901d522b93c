/** Faults of the SDK's requests to DynamoDB and of messages: processes die, errors, broken connections, lagging indexes. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Key } from "../../../lib/dynamodb/key.ts";
import type { Queue } from "../../../lib/queue/queue.ts";
import { type Call, die, type Fault, type FaultKind, type Injection, makeCall, outlive } from "./process.ts";

type Handle = DynamoDBClient["config"]["requestHandler"]["handle"];
type Handled = Awaited<ReturnType<Handle>>;

/** A request of the SDK. */
interface Request {
  // biome-ignore lint/suspicious/noExplicitAny: the input of any operation
  input: any;
  /** Sends it to the engine. */
  carryOut: () => Promise<Handled>;
  /** Sends it to the engine, changed. */
  handOn: (input: object) => Promise<Handled>;
  /** Sends a request to another table, which is as this one was earlier. */
  past: string;
  /** Sends it to a server that breaks the connection: immediately, within the response, or by staying silent. */
  breaking: (how: "cut" | "half" | "silence", text?: string) => Promise<Handled>;
}

type Strike = Fault<Request, Handled>["strike"];

/** Part of every injected error: no response may contain it. */
const INNERMOST = "innermost words";

const responseOf = (statusCode: number, body: unknown): Handled => {
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "INNERMOST" };
  return { response: { statusCode, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) } };
};

const textOf = async ({ response }: Handled): Promise<string> =>
  Buffer.concat(await response.body.toArray()).toString();

/** An exception, as DynamoDB writes it. */
const exception = (name: string, status = 400, more: Record<string, unknown> = {}): Handled => {
  const message = `${INNERMOST}: ${name} of arn:aws:dynamodb:eu-central-1:123456789012:table/game`;
  return responseOf(status, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...more });
};

const refusing =
  (name: string, status?: number): Strike =>
  async () =>
    exception(name, status);

/** Carries the request out, and then has the fault. */
const after =
  (strike: Strike): Strike =>
  async (request) => {
    await textOf(await request.carryOut());
    return strike(request);
  };

/** A cancelled transaction, with these reasons for its first items. */
const cancelling =
  (...codes: string[]): Strike =>
  async ({ input }) => {
    const reasons = input.TransactItems.map((_: unknown, at: number) => ({ Code: codes[at] ?? "None" }));
    return exception("TransactionCanceledException", 400, { CancellationReasons: reasons });
  };

/** Reads some of the keys and leaves the others unprocessed. */
const leaving =
  (share: number): Strike =>
  async ({ input, handOn }) => {
    const [table = ""] = Object.keys(input.RequestItems);
    const wanted = input.RequestItems[table];
    const kept = Math.floor(wanted.Keys.length * (1 - share));
    const taken = { [table]: { ...wanted, Keys: wanted.Keys.slice(0, kept) } };
    const text =
      kept === 0 ? `{"Responses":{}}` : await textOf(await handOn({ ...input, RequestItems: taken }));
    const left = { [table]: { ...wanted, Keys: wanted.Keys.slice(kept) } };
    return responseOf(200, { ...JSON.parse(text), UnprocessedKeys: left });
  };

/** Reads from the table as it was earlier. */
const lagging: Strike = async ({ input, handOn, past }) => {
  if (input.RequestItems === undefined) return handOn({ ...input, TableName: past });
  const [[table = "", wanted] = []] = Object.entries(input.RequestItems);
  const text = await textOf(await handOn({ ...input, RequestItems: { [past]: wanted } }));
  return responseOf(200, JSON.parse(text.replaceAll(`"${past}"`, `"${table}"`)));
};

const named =
  (...operations: string[]) =>
  (name: string): boolean =>
    operations.some((operation) => name.startsWith(`${operation} `));
const any = (): boolean => true;
const transacts = named("TransactWriteItems");
const statements = ["ExecuteStatement INSERT", "ExecuteStatement UPDATE"];
const writes = named("TransactWriteItems", "PutItem", "UpdateItem", ...statements);
const readsLate = (name: string): boolean => name.endsWith(" late");
/** The SDK does not retry after it, and a retry of the request may succeed. */
const busy = refusing("TransactionConflictException");
const denied = refusing("AccessDeniedException");
// The caller of a statement gets the error of the database.
const mayBeDenied = (name: string): boolean => !name.startsWith("ExecuteStatement");

const REQUEST_FAULTS: Readonly<Record<string, Fault<Request, Handled>>> = {
  "dies before": { fits: any, strike: die },
  "dies after": { fits: writes, strike: after(die) },
  busy: { fits: any, strike: busy },
  "busy after": { fits: writes, strike: after(busy) },
  away: { fits: any, strike: busy, lasts: "away" },
  "away after": { fits: writes, strike: after(busy), lasts: "away" },
  "busy after, token forgotten": {
    // A transaction that writes an item which identifies it when it is repeated.
    fits: (name) => transacts(name) && /INTERACTIONS#|LOGS#|#ONCE#/.test(name),
    async strike({ input, handOn }) {
      await textOf(await handOn({ ...input, ClientRequestToken: randomUUID() }));
      return exception("TransactionConflictException");
    },
  },
  denied: { fits: mayBeDenied, strike: denied, breaks: true },
  "denied after": {
    fits: (name) => writes(name) && mayBeDenied(name),
    strike: after(denied),
    breaks: true,
  },
  "lags once": { fits: readsLate, strike: lagging, lags: "once" },
  lags: { fits: readsLate, strike: lagging, lags: "throughout", lasts: "lags" },
  // tests/unit/databaseErrors.test.ts has the other names of such errors.
  throttled: { fits: any, strike: refusing("ThrottlingException") },
  "throughput exceeded": { fits: writes, strike: refusing("ProvisionedThroughputExceededException") },
  "still in progress": { fits: transacts, strike: refusing("TransactionInProgressException") },
  "503": { fits: any, strike: refusing("ServiceUnavailable", 503) },
  "500": { fits: any, strike: refusing("InternalServerError", 500) },
  "500 after": { fits: writes, strike: after(refusing("InternalServerError", 500)) },
  "connection cut": { fits: any, strike: ({ breaking }) => breaking("cut") },
  "response lost": { fits: writes, strike: after(({ breaking }) => breaking("cut")) },
  "response cut off": {
    fits: any,
    strike: async ({ carryOut, breaking }) => breaking("half", await textOf(await carryOut())),
  },
  // The client waits for two seconds, so this is not tested at every call.
  "no response": {
    fits: (name) => /^TransactWriteItems .*INTERACTIONS#/.test(name),
    strike: after(({ breaking }) => breaking("silence")),
  },
  conflict: { fits: transacts, strike: cancelling("TransactionConflict") },
  "conflict and condition": {
    // DynamoDB never reports a failed condition falsely. At a job's end, one means that nothing is left to do.
    fits: (name) => transacts(name) && !/ END(,|$)/.test(name),
    strike: cancelling("ConditionalCheckFailed", "TransactionConflict"),
  },
  "some unprocessed": { fits: named("BatchGetItem"), strike: leaving(0.5) },
  "none processed": { fits: named("BatchGetItem"), strike: leaving(1) },
  "a short page": { fits: named("Query"), strike: ({ input, handOn }) => handOn({ ...input, Limit: 1 }) },
  // These take the whole time limit of the request.
  "nobody there": {
    fits: (name) => /^(Query|BatchGetItem) |^GetItem .* SESSIONS$/.test(name),
    strike: ({ breaking }) => breaking("cut"),
    lasts: "connection cut",
  },
  "unprocessed for good": { fits: named("BatchGetItem"), strike: leaving(1), lasts: "unprocessed for good" },
  "writes throttled for good": {
    fits: transacts,
    strike: refusing("ThrottlingException"),
    lasts: "writes throttled for good",
  },
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

/** A server that breaks its connections. */
export const startBreaker = async () => {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    response.on("error", () => {});
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const text = Buffer.concat(chunks);
      if (request.url === "/half") {
        response.writeHead(200, { "content-length": text.length });
        response.write(text.subarray(0, Math.floor(text.length / 2)), () => response.destroy());
      } else if (request.url === "/cut") response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
};

type Keyed = Partial<Record<keyof Key, { S: string }>>;

const keysOf = (input: Request["input"]): (Keyed | undefined)[] => {
  const { RequestItems, TransactItems, ExpressionAttributeValues: values, Statement } = input;
  if (RequestItems !== undefined)
    return Object.values<{ Keys: Keyed[] }>(RequestItems).flatMap(({ Keys }) => Keys);
  if (TransactItems !== undefined) {
    return TransactItems.flatMap((item: Record<string, { Key?: Keyed; Item?: Keyed }>) =>
      Object.values(item).map(({ Key, Item }) => Key ?? Item),
    );
  }
  if (values?.[":pk"] !== undefined) return [{ pk: values[":pk"], sk: { S: input.IndexName ?? "" } }];
  return [Statement === undefined ? (input.Key ?? input.Item) : { pk: { S: Statement.split(/\s/)[0] } }];
};

const MASKS: readonly [RegExp, string][] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "*"],
  [/(?<![\w-])[\w-]{43}(?![\w-])/g, "*"],
  [/^(CODE|COUNT|REF)#.*/g, "$1#*"],
  // The counter slot is random.
  [/^\d+#\d+$/g, "*"],
];

/**
 * The name of a request: its operation, each key once with its number of occurrences, and whether it reads an index or
 * replicas that may lag. It is the same in every run, although ids and counter slots are random.
 */
const nameOf = (operation: string, input: Request["input"]): string => {
  const names = keysOf(input).map((keyed) =>
    [keyed?.pk?.S ?? "", keyed?.sk?.S ?? ""]
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
 * Lets the requests of clients have faults. Clients share their connections, as those of one process would.
 * @param past the name of a table that is as this one was earlier
 */
export const withFaultyRequests = (
  breaker: { port: number },
  past: string,
): ((client: DynamoDBClient) => void) => {
  let usual: DynamoDBClient["config"]["requestHandler"] | undefined;
  return ({ config }) => {
    usual ??= config.requestHandler;
    const send = usual.handle.bind(usual);
    const handle: Handle = (request, options) => {
      const input = JSON.parse(new TextDecoder().decode(request.body));
      const sendText = (body: string, more = {}): Promise<Handled> => {
        const headers = { ...request.headers, "content-length": String(Buffer.byteLength(body)) };
        return send({ ...request, ...more, headers, body }, options);
      };
      return makeCall(nameOf(request.headers["x-amz-target"].split(".").at(-1), input), REQUEST_FAULTS, {
        input,
        carryOut: () => outlive(send(request, options)),
        handOn: (other) => outlive(sendText(JSON.stringify(other))),
        past,
        breaking: (how, text = "") =>
          sendText(text, { hostname: "127.0.0.1", port: breaker.port, path: `/${how}` }),
      });
    };
    config.requestHandler = Object.assign(Object.create(usual), { handle });
  };
};
