/**
 * The local queue and the local table's stream, and how both are passed to workers as Lambda does. tests/http/queue.test.ts
 * restarts a service while messages are in every state.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import {
  DeleteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent, SQSEvent } from "aws-lambda";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { parse } from "yaml";
import { MINUTE, SECOND } from "../../lib/domain/time.ts";
import { openQueue } from "../../lib/queue/queue.ts";
import { type Backlog, HIDDEN_MS, MAX_RECEIVES, openBacklog } from "../../scripts/local/backlog.ts";
import { type Engine, startEngine } from "../../scripts/local/engine.ts";
import { makeInvoker } from "../../scripts/local/invocation.ts";
import { sendBatch, startQueue } from "../../scripts/local/queue.ts";
import { openStreamRecords } from "../../scripts/local/streamRecords.ts";
import { openStreamSource, type StreamSource } from "../../scripts/local/streamSource.ts";
import { createTable } from "../../scripts/local/table.ts";
import { takeMessages } from "../../scripts/local/workers.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { tempDirOfTest } from "../support/tempDir.ts";

/** A worker with these responses, and the events of its calls. */
const workerOf = <Event>(respond: (event: Event) => unknown = () => null) => {
  const events: Event[] = [];
  const invoke = async (event: unknown): Promise<unknown> => {
    // Lambda serializes it to JSON too.
    const given: Event = JSON.parse(JSON.stringify(event));
    events.push(given);
    return respond(given);
  };
  return { invoke, events };
};

const open = (file = ":memory:"): Backlog => {
  const backlog = openBacklog(file);
  onTestFinished(() => backlog.close());
  return backlog;
};

const bodiesOf = (events: readonly SQSEvent[]): string[][] =>
  events.map(({ Records }) => Records.map(({ body }) => body));

const failing = (...itemIdentifiers: unknown[]): unknown => ({
  batchItemFailures: itemIdentifiers.map((itemIdentifier) => ({ itemIdentifier })),
});

describe("the queue", () => {
  it("has the deployed queue's times", async () => {
    const text = await readFile(join(ROOT, "resources/queue.yml"), "utf8");
    const { Queue } = parse(text, { logLevel: "error" });
    expect(Queue.Properties).toMatchObject({
      VisibilityTimeout: HIDDEN_MS / SECOND,
      RedrivePolicy: { maxReceiveCount: MAX_RECEIVES },
    });
  });

  it("takes any number of messages from the service, and rejects browsers and requests without its secret", async () => {
    const queue = await startQueue(":memory:");
    onTestFinished(() => queue.stop());
    const { QUEUE_URL: url, QUEUE_ENDPOINT: endpoint } = queue.settings;
    const message = { kind: "sweep", fencingToken: "a-token" } as const;
    const sent = Array.from({ length: 21 }, (_, n) => ({ message, delay: n < 20 ? 0 : MINUTE }));
    await openQueue({ url, endpoint }).send(sent);
    const states = queue.backlog.inspect().map(({ state }) => state);
    expect(states).toEqual([...Array(20).fill("ready"), "delayed"]);
    expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\da-f]{32}$/);
    const own = { "x-amz-target": "AmazonSQS.SendMessageBatch" };
    const body = JSON.stringify({ Entries: [{ Id: "0", MessageBody: "a" }] });
    const status = async (at: string, more: Record<string, string> = {}) =>
      (await fetch(at, { method: "POST", headers: { ...own, ...more }, body })).status;
    expect(await status(endpoint, { origin: "https://elsewhere.example" })).toBe(403);
    const { origin } = new URL(endpoint);
    for (const at of [origin, `${origin}/${"0".repeat(32)}`]) expect(await status(at)).toBe(403);
    expect(queue.backlog.inspect()).toHaveLength(21);
    expect(await status(endpoint)).toBe(200);
  });

  it("refuses what SQS refuses: an empty, long or large batch, and a long delay", () => {
    const batch = (count: number, more: object = {}) => ({
      Entries: Array.from({ length: count }, (_, n) => ({ Id: `${n}`, MessageBody: "a", ...more })),
    });
    const backlog = open();
    const large = batch(10, { MessageBody: "a".repeat(110_000) });
    for (const refused of [batch(0), batch(11), large, batch(1, { DelaySeconds: 901 })])
      expect(() => sendBatch(backlog, refused)).toThrow();
    expect(backlog.inspect()).toEqual([]);
  });

  it("dead-letters a message after five receives, without delaying others, and keeps it over a restart", async () => {
    const file = join(tempDirOfTest(), "backlog");
    const backlog = open(file);
    for (const body of ["poison", "good"]) backlog.send(body, 0);
    const { invoke, events } = workerOf<SQSEvent>(({ Records }) =>
      failing(...Records.filter(({ body }) => body === "poison").map(({ messageId }) => messageId)),
    );
    do backlog.hurry();
    while ((await takeMessages(backlog, 4, invoke)) > 0);
    expect(bodiesOf(events).flat().toSorted()).toEqual(["good", ...Array(5).fill("poison")]);
    expect(open(file).inspect()).toMatchObject([{ body: "poison", state: "dead" }]);
  });

  it("gives a message to another worker when its visibility timeout is over, and then the first cannot remove it", () => {
    const backlog = open();
    backlog.send("a", 0);
    const first = backlog.take(1);
    expect(first).toMatchObject([{ body: "a", receives: 1 }]);
    expect(backlog.take(1)).toEqual([]);
    backlog.hurry();
    const second = backlog.take(1);
    backlog.remove(first);
    expect(backlog.inspect()).toMatchObject([{ state: "in flight", receives: 2 }]);
    backlog.remove(second);
    expect(backlog.inspect()).toEqual([]);
  });
});

describe("a batch of messages", () => {
  it.each<[string, string, (event: SQSEvent) => unknown]>([
    ["stays complete", "the worker throws", () => Promise.reject(new Error("broken"))],
    ["stays complete", "the worker reports a message that was not in it", () => failing("unknown")],
    ["stays complete", "a report is invalid", () => ({ batchItemFailures: [{ id: "a" }] })],
    ["is done", "the worker reports no failures", () => ({ batchItemFailures: null })],
  ])("%s when %s, as Lambda has it", async (state, _, respond) => {
    const backlog = open();
    for (const body of ["a", "b", "c"]) backlog.send(body, 0);
    await takeMessages(backlog, 4, workerOf(respond).invoke);
    const left = backlog.inspect().map((message) => message.state);
    expect(left).toEqual(state === "is done" ? [] : Array(3).fill("in flight"));
  });

  it("has at most the worker's batch size, and no message is given to two pollers", async () => {
    const backlog = open();
    const bodies = Array.from({ length: 23 }, (_, n) => `message ${n}`);
    for (const body of bodies) backlog.send(body, 0);
    const { invoke, events } = workerOf<SQSEvent>();
    const poll = async (): Promise<void> => {
      while ((await takeMessages(backlog, 10, invoke)) > 0);
    };
    await Promise.all([poll(), poll()]);
    expect(bodiesOf(events).map(({ length }) => length)).toEqual([10, 10, 3]);
    expect(bodiesOf(events).flat()).toEqual(bodies);
    expect(backlog.inspect()).toEqual([]);
  });
});

describe("an invocation", () => {
  let socket: string;
  beforeEach(() => {
    socket = join(tempDirOfTest(), "lambda");
  });

  type Reply = { status?: number; headers?: Record<string, string>; body?: string };
  /** Serves these replies; null breaks the connection, without one a request never ends. @returns the requests so far */
  const serve = async (replies: (Reply | null)[]): Promise<string[]> => {
    const requests: string[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const reply = replies[requests.push(`${request.url} ${body}`) - 1];
      if (reply === null) request.socket.destroy();
      else if (reply !== undefined) response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
    }).listen(socket);
    await once(server, "listening");
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return requests;
  };
  const worker = { name: "a-worker", timeoutMs: 2_000 };
  const { signal } = new AbortController();
  const invoke = (more: Partial<typeof worker> = {}, at: () => string | null = () => socket) =>
    makeInvoker(at, { ...worker, ...more }, signal);

  it("sends the event once, and returns the response or null for an empty one, unless the worker failed", async () => {
    const requests = await serve([
      ...[{ body: '{"m":2}' }, {}, { headers: { "x-amz-function-error": "Unhandled" }, body: "{}" }],
      ...[{ status: 404, body: '{"Message":"Function not found"}' }, { body: "<html>" }],
    ]);
    expect(await invoke()({ n: 1 })).toEqual({ m: 2 });
    expect(await invoke()({})).toBeNull();
    for (const failed of [3, 4, 5]) {
      await expect(invoke()({})).rejects.toThrow();
      expect(requests).toHaveLength(failed);
    }
    expect(requests[0]).toBe('/2015-03-31/functions/a-worker/invocations {"n":1}');
  });

  it("waits for a service that restarts, and is retried when its connection broke", async () => {
    let at: string | null = null;
    const response = invoke({}, () => at)({});
    await setTimeout(100);
    // Known, but not listening yet.
    at = socket;
    await setTimeout(100);
    await serve([null, { body: '{"call":2}' }]);
    expect(await response).toEqual({ call: 2 });
  });

  it("fails when it times out, or when it is aborted", async () => {
    await serve([]);
    await expect(invoke({ timeoutMs: 100 })({})).rejects.toThrow(/longer than 0.1 s/);
    const ending = new AbortController();
    const response = makeInvoker(() => null, worker, ending.signal)({});
    ending.abort();
    await expect(response).rejects.toThrow(/cannot be reached/);
  });
});

const [REGION, TABLE] = ["eu-central-1", "a-game"];
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
let folder: string;
let file: string;
let engine: Engine;
let tables: DynamoDBClient;

const newTable = (stream = true) => createTable(engine.endpoint, TABLE, { region: REGION, stream });

const put = async (sk: string, more: Record<string, string> = {}): Promise<void> => {
  const Item = marshall({ pk: "INTERACTIONS#0", sk, ...more });
  await tables.send(new PutItemCommand({ TableName: TABLE, Item }));
};

const numbers = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => String(from + n));

const putAll = async (count: number, from = 0): Promise<void> => {
  for (const sk of numbers(count, from)) await put(sk);
};

/** A reader that goes on from the stored position. */
const reader = (batchSize = 100): StreamSource => {
  const backlog = openBacklog(join(folder, "backlog"));
  const records = openStreamRecords(file, TABLE);
  const source = openStreamSource(
    { endpoint: engine.endpoint, region: REGION, table: TABLE },
    { worker: { batchSize, patterns: [] }, positions: backlog.positions, records, pace: 0 },
  );
  onTestFinished(() => {
    source.close();
    records.close();
    backlog.close();
  });
  return source;
};

const keysOf = ({ Records }: DynamoDBStreamEvent): string[] =>
  Records.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S ?? "");

/** The sort keys of each call of a worker with these responses, after it has read everything. */
const callsOf = async (
  respond?: (event: DynamoDBStreamEvent) => unknown,
  source = reader(),
): Promise<string[][]> => {
  const { invoke, events } = workerOf<DynamoDBStreamEvent>(respond);
  await source.read(invoke);
  return events.map(keysOf);
};

describe("the table's stream", () => {
  beforeEach(async () => {
    folder = tempDirOfTest();
    file = join(folder, "game.db");
    engine = await startEngine({ file });
    tables = new DynamoDBClient({ endpoint: engine.endpoint, region: REGION, credentials });
    onTestFinished(() => {
      tables.destroy();
      return engine.stop();
    });
    await newTable();
  });

  // Its filter is tested in streamFilter.test.ts.
  it("is in order and in Lambda's form", async () => {
    const key = { pk: { S: "A" }, sk: { S: "0" } };
    const item = { ...key, n: { N: "5" }, bytes: { B: Buffer.from([1, 2, 3]) } };
    await tables.send(new PutItemCommand({ TableName: TABLE, Item: item }));
    await put("0", { pk: "A", changed: "yes" });
    await tables.send(new DeleteItemCommand({ TableName: TABLE, Key: key }));
    const { invoke, events } = workerOf<DynamoDBStreamEvent>();
    await reader().read(invoke);
    const records = events.flatMap(({ Records }) => Records);
    expect(records.map(({ eventName }) => eventName)).toEqual(["INSERT", "MODIFY", "REMOVE"]);
    const dynamodb = { Keys: key, NewImage: { ...key, n: { N: "5" }, bytes: { B: "AQID" } } };
    expect(records[0]).toMatchObject({ dynamodb });
    const createdAt = records[0]?.dynamodb?.ApproximateCreationDateTime ?? 0;
    expect(Math.abs(Date.now() / 1_000 - createdAt)).toBeLessThan(60);
  });

  it("halves a batch at which the worker throws, and tries a single record until it succeeds, in order", async () => {
    await putAll(8);
    let left = 5;
    const calls = await callsOf((event) => {
      if (keysOf(event).includes("5") && left-- > 0) throw new Error("cannot process it");
    });
    // The batch, its half, its quarter; then the record alone.
    expect(calls.slice(0, 5)).toEqual([numbers(8), numbers(4), numbers(4, 4), numbers(2, 4), ["4"]]);
    expect(calls.slice(5)).toEqual([["5"], ["5"], ["5"], numbers(2, 6)]);
  });

  it("goes on after the last batch that succeeded when it is stopped between attempts", async () => {
    await putAll(4);
    const ending = new AbortController();
    const { invoke } = workerOf<DynamoDBStreamEvent>((event) => {
      if (!keysOf(event).includes("2")) return;
      if (keysOf(event).length === 1) ending.abort();
      throw new Error("cannot process it");
    });
    await expect(reader().read(invoke, ending.signal)).rejects.toThrow("cannot process it");
    expect(await callsOf()).toEqual([["2", "3"]]);
  });

  it("goes on with a table that was replaced", async () => {
    await putAll(3);
    const source = reader();
    expect(await callsOf(undefined, source)).toEqual([numbers(3)]);
    await tables.send(new DeleteTableCommand({ TableName: TABLE }));
    expect(await callsOf(undefined, source)).toEqual([]);
    // The stream is enabled for a table that was created without it.
    await newTable(false);
    await newTable();
    await putAll(4, 10);
    await expect.poll(() => callsOf(undefined, source), { timeout: 5_000 }).toEqual([numbers(4, 10)]);
  });

  it("goes on with an older copy of the game that was put back, of which fewer records were read", async () => {
    await putAll(3);
    expect(await callsOf()).toEqual([numbers(3)]);
    using backlog = new DatabaseSync(join(folder, "backlog"));
    backlog.exec("UPDATE positions SET sequence = sequence + 5");
    await putAll(2, 3);
    // The last record that was read is still there, and is delivered again.
    expect(await callsOf()).toEqual([numbers(3, 2)]);
  });

  it("has records that are removed once read, except the last, and asks the engine for none until it has written", async () => {
    const kept = (): unknown[] => {
      using database = new DatabaseSync(file, { readOnly: true });
      const select = "SELECT CAST(sequence_number AS INTEGER) AS n FROM _stream_records ORDER BY 1";
      return Array.from(database.prepare(select).iterate(), ({ n }) => n);
    };
    await putAll(40);
    const source = reader(15);
    expect(await callsOf(undefined, source)).toEqual([numbers(15), numbers(15, 15), numbers(10, 30)]);
    const requests = vi.spyOn(DynamoDBStreamsClient.prototype, "send");
    onTestFinished(() => requests.mockRestore());
    expect(await callsOf(undefined, source)).toEqual([]);
    expect(requests).not.toHaveBeenCalled();
    expect(kept()).toEqual([40]);
    await putAll(3, 40);
    // The engine counts on from the last.
    expect(kept()).toEqual([40, 41, 42, 43]);
    expect(await callsOf(undefined, source)).toEqual([numbers(3, 40)]);
    // A restart finds the last one that was read.
    await put("43");
    expect(await callsOf()).toEqual([["43"]]);
  });
});
