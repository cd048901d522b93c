/** Faults of the SDK's requests to DynamoDB: its errors, and connections that break. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Key } from "../../../lib/dynamodb/key.ts";
import { type Call, type FaultKind, nameOf } from "./calls.ts";
import { INNERMOST, makeCall } from "./process.ts";

type Handle = DynamoDBClient["config"]["requestHandler"]["handle"];
type Handled = ReturnType<Handle>;

/** How a connection fails after a request: it breaks immediately or within the response, or stays silent. */
type Breakage = "cut" | "half" | "silence";

/** A request of the SDK. */
interface Request {
  // biome-ignore lint/suspicious/noExplicitAny: the input of any operation
  input: any;
  /** Sends it to the engine, changed or as it is. */
  handOn: (input?: unknown) => Handled;
  /** Sends it to a server that breaks the connection; with `half`, after half of the response. */
  breaking: (how: Breakage, text?: string) => Handled;
}

interface RequestFault extends FaultKind {
  strike: (request: Request) => Handled;
}

const responseOf = (statusCode: number, body: unknown): Awaited<Handled> => {
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amzn-requestid": "INNERMOST" };
  return { response: { statusCode, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) } };
};

const textOf = async ({ response }: Awaited<Handled>): Promise<string> =>
  Buffer.concat(await response.body.toArray()).toString();

/** An exception, as DynamoDB writes it. */
const exception = (name: string, status = 400, more: Record<string, unknown> = {}) => {
  const message = `${INNERMOST}: ${name} of arn:aws:dynamodb:eu-central-1:123456789012:table/game`;
  return responseOf(status, { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message, ...more });
};

const refusing = (name: string, status?: number) => async () => exception(name, status);

/** A cancelled transaction, with these reasons for its first items. */
const cancelling =
  (...codes: string[]): RequestFault["strike"] =>
  async ({ input }) => {
    const reasons = input.TransactItems.map((_: unknown, at: number) => ({ Code: codes[at] ?? "None" }));
    return exception("TransactionCanceledException", 400, { CancellationReasons: reasons });
  };

/** Reads some of the keys and leaves the others unprocessed. */
const leaving =
  (share: number): RequestFault["strike"] =>
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

const any = (): boolean => true;
const named =
  (...operations: string[]) =>
  ({ name }: Call): boolean =>
    operations.some((operation) => name.startsWith(`${operation} `));
const transacts = named("TransactWriteItems");
const statements = ["ExecuteStatement INSERT", "ExecuteStatement UPDATE"];
const writes = named("TransactWriteItems", "PutItem", "UpdateItem", ...statements);

const atTheDoorOrMany = ({ name }: Call): boolean =>
  /^(Query|BatchGetItem) |^GetItem .* SESSIONS$/.test(name);

export const REQUEST_FAULTS: Readonly<Record<string, RequestFault>> = {
  throttled: { fits: any, strike: refusing("ThrottlingException") },
  "throughput exceeded": { fits: writes, strike: refusing("ProvisionedThroughputExceededException") },
  "limit exceeded": { fits: transacts, strike: refusing("RequestLimitExceeded") },
  "500": { fits: any, strike: refusing("InternalServerError", 500) },
  "503": { fits: any, strike: refusing("ServiceUnavailable", 503) },
  "connection cut": { fits: any, strike: ({ breaking }) => breaking("cut") },
  "response lost": {
    fits: writes,
    async strike({ handOn, breaking }) {
      await textOf(await handOn());
      return breaking("cut");
    },
  },
  "response cut off": {
    fits: any,
    strike: async ({ handOn, breaking }) => breaking("half", await textOf(await handOn())),
  },
  // The client waits for two seconds, so this is not tested at every call.
  "no response": {
    fits: ({ name }) => /^TransactWriteItems .*INTERACTIONS#/.test(name),
    async strike({ handOn, breaking }) {
      await textOf(await handOn());
      return breaking("silence");
    },
  },
  "500 after it was done": {
    fits: writes,
    async strike({ handOn }) {
      await textOf(await handOn());
      return exception("InternalServerError", 500);
    },
  },
  conflict: { fits: transacts, strike: cancelling("TransactionConflict") },
  "conflict and condition": {
    // DynamoDB never reports a failed condition falsely. At a job's end, one means that nothing is left to do.
    fits: (call) => transacts(call) && !/ END(,|$)/.test(call.name),
    strike: cancelling("ConditionalCheckFailed", "TransactionConflict"),
  },
  "throttled in a transaction": { fits: transacts, strike: cancelling("ThrottlingError", "None") },
  "exceeded in a transaction": {
    fits: transacts,
    strike: cancelling("ProvisionedThroughputExceeded", "TransactionConflict"),
  },
  "still in progress": { fits: transacts, strike: refusing("TransactionInProgressException") },
  "conflict with a transaction": {
    fits: named("PutItem", "UpdateItem"),
    strike: refusing("TransactionConflictException"),
  },
  "some unprocessed": { fits: named("BatchGetItem"), strike: leaving(0.5) },
  "none processed": { fits: named("BatchGetItem"), strike: leaving(1) },
  "a short page": { fits: named("Query"), strike: ({ input, handOn }) => handOn({ ...input, Limit: 1 }) },
  // These take the whole time limit of the request. Another fault makes the database unavailable at every call.
  "away with 500": { fits: writes, strike: refusing("InternalServerError", 500), lasts: "500" },
  "nobody there": {
    fits: atTheDoorOrMany,
    strike: ({ breaking }) => breaking("cut"),
    lasts: "connection cut",
  },
  "unprocessed for good": { fits: named("BatchGetItem"), strike: leaving(1), lasts: "unprocessed for good" },
  "writes throttled for good": {
    fits: transacts,
    strike: refusing("ThrottlingException"),
    lasts: "writes throttled for good",
  },
  "conflict for good": {
    fits: transacts,
    strike: cancelling("TransactionConflict"),
    lasts: "conflict for good",
  },
  // The caller of a statement gets the error of the database.
  denied: {
    fits: ({ name }) => !name.startsWith("ExecuteStatement"),
    strike: refusing("AccessDeniedException"),
    breaks: true,
  },
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

const keyOf = (keyed: Keyed = {}): Partial<Key> => ({ pk: keyed.pk?.S ?? "", sk: keyed.sk?.S ?? "" });

const keysOf = (input: Request["input"]): Partial<Key>[] => {
  const { RequestItems, TransactItems, ExpressionAttributeValues: values, Statement } = input;
  if (RequestItems !== undefined) {
    return Object.values<{ Keys: Keyed[] }>(RequestItems).flatMap(({ Keys }) => Keys.map(keyOf));
  }
  if (TransactItems !== undefined) {
    return TransactItems.flatMap((item: Record<string, { Key?: Keyed; Item?: Keyed }>) =>
      Object.values(item).map(({ Key, Item }) => keyOf(Key ?? Item)),
    );
  }
  if (values?.[":pk"] !== undefined) return [{ pk: values[":pk"].S, sk: input.IndexName ?? "" }];
  return Statement === undefined
    ? [keyOf(input.Key ?? input.Item)]
    : [{ pk: Statement.split(/\s/)[0], sk: "" }];
};

/** Lets the requests of clients have faults. Clients share their connections, as those of one process would. */
export const withFaultyRequests = (breaker: { port: number }): ((client: DynamoDBClient) => void) => {
  let usual: DynamoDBClient["config"]["requestHandler"] | undefined;
  return ({ config }) => {
    usual ??= config.requestHandler;
    const send = usual.handle.bind(usual);
    const handle: Handle = (request, options) => {
      const input = JSON.parse(new TextDecoder().decode(request.body));
      const sendText = (body: string, more = {}): Handled => {
        const headers = { ...request.headers, "content-length": String(Buffer.byteLength(body)) };
        return send({ ...request, ...more, headers, body }, options);
      };
      const name = nameOf(request.headers["x-amz-target"].split(".").at(-1), keysOf(input));
      return makeCall({ name, nature: "request" }, REQUEST_FAULTS, (fault) => {
        if (fault === undefined) return send(request, options);
        return fault.strike({
          input,
          handOn: (other = input) => sendText(JSON.stringify(other)),
          breaking: (how, text = "") =>
            sendText(text, { hostname: "127.0.0.1", port: breaker.port, path: `/${how}` }),
        });
      });
    };
    config.requestHandler = Object.assign(Object.create(usual), { handle });
  };
};
