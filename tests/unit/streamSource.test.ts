/** The local table's stream, and the poller that passes its records to a worker as Lambda does. */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  DeleteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { type Engine, startEngine } from "../../scripts/local/engine.ts";
import { compilePattern } from "../../scripts/local/patterns.ts";
import { startQueue } from "../../scripts/local/queue.ts";
import { readEventSources, type StreamWorker } from "../../scripts/local/sources.ts";
import { openStreamRecords } from "../../scripts/local/streamRecords.ts";
import { openCheckpoint, openStreamSource, type StreamSource } from "../../scripts/local/streamSource.ts";
import { createTable } from "../../scripts/local/table.ts";
import { startWorkers } from "../../scripts/local/workers.ts";

const REGION = "eu-central-1";
const TABLE = "a-game";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const PK = "INTERACTIONS#0";

vi.setConfig({ testTimeout: 30_000 });

/** What is closed after each test, the last first. */
const closing: (() => unknown)[] = [];
let folder: string;
let file: string;
let engine: Engine;
let tables: DynamoDBClient;

const start = async (): Promise<void> => {
  engine = await startEngine({ file });
  tables = new DynamoDBClient({ endpoint: engine.endpoint, region: REGION, credentials });
};

const stop = async (): Promise<void> => {
  tables.destroy();
  await engine.stop();
};

const newTable = (name = TABLE, stream = true) =>
  createTable(engine.endpoint, name, { region: REGION, stream });

/** Gives each test of a group an engine on its own file, with the table and its stream. */
const useEngine = (): void => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "stream-"));
    file = join(folder, "game.db");
    await start();
    await newTable();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await stop();
    await rm(folder, { recursive: true });
  });
};

const put = async (
  sk: string,
  { pk = PK, table = TABLE, ...more }: Record<string, string> = {},
): Promise<void> => {
  const rest = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, { S: value }]));
  await tables.send(
    new PutItemCommand({ TableName: table, Item: { pk: { S: pk }, sk: { S: sk }, ...rest } }),
  );
};

const numbers = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => String(from + n));

const putAll = async (count: number, from = 0): Promise<void> => {
  for (const sk of numbers(count, from)) await put(sk);
};

interface Reader {
  source: StreamSource;
  /** The records that were given up: the first, the last, and the error. */
  lost: [string, string, string][];
}

const readerOf = (
  worker: Partial<StreamWorker> = {},
  { table = TABLE, ...more }: { onRead?: (shard: string, at: string) => void; table?: string } = {},
): Reader => {
  const lost: Reader["lost"] = [];
  const defaults = { batchSize: 100, reportsFailures: true, bisects: true, mostRetries: 3, patterns: [] };
  const source = openStreamSource(
    { endpoint: engine.endpoint, region: REGION, table },
    {
      worker: { ...defaults, ...worker },
      checkpoint: openCheckpoint(table === TABLE ? join(folder, "stream.json") : null),
      onLost: (...given) => lost.push(given),
      pace: 0,
      ...more,
    },
  );
  closing.push(() => source.close());
  return { source, lost };
};

/** A worker with these responses, and the sort keys of each of its calls. */
const workerOf = (
  respond: (call: number, keys: string[], event: DynamoDBStreamEvent) => unknown = () => null,
) => {
  const calls: string[][] = [];
  const events: DynamoDBStreamEvent[] = [];
  const invoke = async (event: unknown): Promise<unknown> => {
    const given: DynamoDBStreamEvent = JSON.parse(JSON.stringify(event));
    const keys = given.Records.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S ?? "");
    calls.push(keys);
    events.push(given);
    return respond(calls.length, keys, given);
  };
  return { invoke, calls, events };
};

/** The response of a worker that failed at records with these sort keys. */
const failedAt = ({ Records }: DynamoDBStreamEvent, ...keys: string[]): unknown => ({
  batchItemFailures: keys.flatMap((key) => {
    const at = Records.find(({ dynamodb }) => dynamodb?.Keys?.sk?.S === key)?.dynamodb?.SequenceNumber;
    return at === undefined ? [] : [{ itemIdentifier: at }];
  }),
});

const readAll = async ({ source }: Reader, { invoke }: ReturnType<typeof workerOf>): Promise<void> => {
  while ((await source.takeBatch(invoke)) > 0);
};

/** The calls of a worker with these responses, after it has read everything. */
const callsOf = async (
  respond?: Parameters<typeof workerOf>[0],
  reader = readerOf(),
): Promise<string[][]> => {
  const worker = workerOf(respond);
  await readAll(reader, worker);
  return worker.calls;
};

describe("a filter pattern", () => {
  const image = { action: { S: "set_checkpoint" }, count: { N: "1" } };
  const record = { eventName: "INSERT", dynamodb: { Keys: { pk: { S: "LOGS#3" } }, NewImage: image } };
  const prefix = (text: string) => ({ dynamodb: { Keys: { pk: { S: [{ prefix: text }] } } } });
  const action = (text: string) => ({
    eventName: ["INSERT"],
    dynamodb: { NewImage: { action: { S: [text] } } },
  });

  it.each([
    ["a value", { eventName: ["INSERT"] }, true],
    ["one of two values", { eventName: ["MODIFY", "INSERT"] }, true],
    ["another value", { eventName: ["REMOVE"] }, false],
    ["a prefix", prefix("LOGS#"), true],
    ["another prefix", prefix("INTERACTIONS#"), false],
    ["two fields that match", action("set_checkpoint"), true],
    ["two fields of which one matches", action("cure"), false],
    ["a missing field", { dynamodb: { OldImage: { action: { S: ["cure"] } } } }, false],
    ["a field of a text", { eventName: { S: ["INSERT"] } }, false],
    ["an inherited field", { constructor: { name: ["Object"] } }, false],
    ["nothing", {}, true],
  ])("with %s is matched", (_, pattern, matches) => {
    expect(compilePattern(pattern)(record)).toBe(matches);
  });

  it.each([{ eventName: [{ exists: true }] }, { eventName: "INSERT" }, { eventName: [["INSERT"]] }, 3])(
    "that is not supported locally is rejected: %j",
    (pattern) => expect(() => compilePattern(pattern)).toThrow(/not supported|invalid/),
  );
});

it("the event sources of functions.yml are read, and all their patterns are supported", () => {
  const { queue, stream } = readEventSources();
  expect(queue).toEqual([{ name: "deliver", timeout: 60, batchSize: 4, reportsFailures: true }]);
  expect(stream).toMatchObject({ name: "announce", reportsFailures: false, bisects: true });
  expect(stream?.patterns.length).toBeGreaterThan(0);
  for (const pattern of stream?.patterns ?? []) compilePattern(pattern);
});

describe("the table's stream", () => {
  useEngine();

  it("is in order, and has Lambda's form", async () => {
    const key = { pk: { S: "A" }, sk: { S: "0" } };
    const item = { ...key, n: { N: "5" }, bytes: { B: Buffer.from([1, 2, 3]) } };
    await tables.send(new PutItemCommand({ TableName: TABLE, Item: item }));
    await put("0", { pk: "A", changed: "yes" });
    await tables.send(new DeleteItemCommand({ TableName: TABLE, Key: key }));
    const worker = workerOf();
    await readAll(readerOf(), worker);
    const records = worker.events.flatMap(({ Records }) => Records);
    expect(records.map(({ eventName }) => eventName)).toEqual(["INSERT", "MODIFY", "REMOVE"]);
    expect(records[0]).toEqual({
      ...{ eventID: expect.any(String), eventName: "INSERT", eventVersion: "1.1" },
      ...{ eventSource: "aws:dynamodb", awsRegion: expect.any(String) },
      eventSourceARN: expect.stringContaining(`table/${TABLE}/stream/`),
      dynamodb: {
        ...{ ApproximateCreationDateTime: expect.any(Number), Keys: key, SizeBytes: expect.any(Number) },
        NewImage: { ...key, n: { N: "5" }, bytes: { B: "AQID" } },
        ...{ SequenceNumber: expect.stringMatching(/^\d+$/), StreamViewType: "NEW_IMAGE" },
      },
    });
    const createdAt = records[0]?.dynamodb?.ApproximateCreationDateTime ?? 0;
    expect(Math.abs(Date.now() / 1_000 - createdAt)).toBeLessThan(60);
  });

  it("is filtered, and skipped records are not read again", async () => {
    await put("somebody", { pk: "PLAYERS#0" });
    await put("a hunt");
    await put("forbidden", { pk: "LOGS#0", action: "set_checkpoint", outcome: "forbidden" });
    await put("a checkpoint", { pk: "LOGS#0", action: "set_checkpoint", outcome: "done" });
    await put("a hunt", { note: "changed" });
    const patterns = readEventSources().stream?.patterns ?? [];
    expect(await callsOf(undefined, readerOf({ patterns }))).toEqual([["a hunt", "a checkpoint"]]);
    expect(await callsOf()).toEqual([]);
  });

  it("is read in batches of at most the worker's batch size", async () => {
    await putAll(25);
    const calls = await callsOf(undefined, readerOf({ batchSize: 10 }));
    expect(calls).toEqual([numbers(10), numbers(10, 10), numbers(5, 20)]);
  });

  it.each([
    ["a record", ["4"], 4],
    ["several records", ["3", "1"], 1],
  ])("continues from the first failure when a worker reports %s", async (_, keys, from) => {
    await putAll(10);
    const reader = readerOf();
    const calls = await callsOf((call, __, event) => (call === 1 ? failedAt(event, ...keys) : null), reader);
    expect(calls).toEqual([numbers(10), numbers(10 - from, from)]);
    expect(reader.lost).toEqual([]);
  });

  it.each([
    ["reports an unknown record", { batchItemFailures: [{ itemIdentifier: "999999" }] }],
    ["reports an empty id", { batchItemFailures: [{ itemIdentifier: "" }] }],
    ["returns something else", "done"],
  ])("repeats the complete batch when the worker %s", async (_, response) => {
    await putAll(3);
    const calls = await callsOf((call) => (call === 1 ? response : null));
    expect(calls).toEqual([numbers(3), numbers(3)]);
  });

  it("bisects a batch at which the worker throws, and gives up the record that causes it", async () => {
    await putAll(8);
    const done: string[] = [];
    const reader = readerOf();
    const calls = await callsOf((_, keys) => {
      if (keys.includes("5")) throw new Error("cannot process it");
      done.push(...keys);
    }, reader);
    expect(done).toEqual(["0", "1", "2", "3", "4", "6", "7"]);
    // The batch, its half, its quarter; then the record alone, with three retries.
    const lengths = calls.filter((keys) => keys.includes("5")).map(({ length }) => length);
    expect(lengths).toEqual([8, 4, 2, 1, 1, 1, 1]);
    const [first] = reader.lost[0] ?? [];
    expect(reader.lost).toEqual([[first, first, "cannot process it"]]);
  });

  it("repeats the complete batch when it must not be bisected", async () => {
    await putAll(4);
    const respond = (call: number) => (call < 3 ? Promise.reject(new Error("not yet")) : null);
    const calls = await callsOf(respond, readerOf({ bisects: false }));
    expect(calls).toEqual([numbers(4), numbers(4), numbers(4)]);
  });

  it("gives up a record that is reported every time, and continues after it", async () => {
    await putAll(3);
    const reader = readerOf();
    const calls = await callsOf((_, __, event) => failedAt(event, "1"), reader);
    expect(calls).toEqual([numbers(3), numbers(2, 1), numbers(2, 1), numbers(2, 1)]);
    expect(reader.lost).toHaveLength(1);
    await put("3");
    expect(await callsOf(undefined, reader)).toEqual([["3"]]);
  });

  it("loses and repeats nothing when reader and engine restart", async () => {
    await putAll(30);
    const first = workerOf();
    const before = readerOf({ batchSize: 10 });
    await before.source.takeBatch(first.invoke);
    before.source.close();
    await stop();
    await start();
    await putAll(5, 30);
    const rest = await callsOf(undefined, readerOf({ batchSize: 10 }));
    expect(first.calls.flat()).toHaveLength(10);
    expect([...first.calls, ...rest].flat()).toEqual(numbers(35));
  });

  it("continues with what was not done when the reader ended within a batch", async () => {
    await putAll(6);
    const ending = new AbortController();
    const { invoke } = workerOf((call, _, event) => {
      if (call === 1) return failedAt(event, "2");
      ending.abort();
      throw new Error("the service cannot be reached");
    });
    const before = readerOf();
    await before.source.takeBatch(invoke, ending.signal);
    expect(before.lost).toEqual([]);
    expect(await callsOf()).toEqual([numbers(4, 2)]);
  });

  it("starts from the beginning of a new table", async () => {
    await putAll(3);
    const reader = readerOf();
    expect(await callsOf(undefined, reader)).toEqual([numbers(3)]);
    await tables.send(new DeleteTableCommand({ TableName: TABLE }));
    expect(await callsOf(undefined, reader)).toEqual([]);
    await newTable();
    await putAll(2, 10);
    expect(await callsOf(undefined, reader)).toEqual([numbers(2, 10)]);
  });

  it("starts from the beginning of a new engine", async () => {
    await putAll(5);
    await callsOf();
    await stop();
    await rm(file);
    await start();
    await newTable();
    await putAll(2, 20);
    expect(await callsOf()).toEqual([numbers(2, 20)]);
  });

  it("is enabled for a table that was created without it", async () => {
    const table = "an-old-game";
    await newTable(table, false);
    const reader = readerOf({}, { table });
    expect(await callsOf(undefined, reader)).toEqual([]);
    await newTable(table);
    await put("first", { table });
    expect(await callsOf(undefined, reader)).toEqual([["first"]]);
  });
});

// Several thousand writes, which quick runs leave out.
describe.skipIf(process.env.TEST_SCALE === "quick")("the engine's stream records", () => {
  useEngine();

  const Rows = z.array(z.object({ sequence: z.number() }));
  const SELECT =
    "SELECT CAST(sequence_number AS INTEGER) AS sequence FROM _stream_records WHERE table_name = ? ORDER BY 1";

  const kept = (): number[] => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      return Rows.parse(database.prepare(SELECT).all(TABLE)).map(({ sequence }) => sequence);
    } finally {
      database.close();
    }
  };
  /** A reader whose records are removed once they are read. */
  const removingReader = (batchSize: number): Reader => {
    const records = openStreamRecords(file, TABLE);
    closing.push(() => records.close());
    return readerOf({ batchSize }, { onRead: (_, position) => records.read(position) });
  };

  it("are removed once read, except the last, from which the engine counts on", async () => {
    await putAll(40);
    const worker = workerOf();
    const reader = removingReader(15);
    await reader.source.takeBatch(worker.invoke);
    await expect.poll(kept, { timeout: 3_000 }).toEqual(Array.from({ length: 26 }, (_, n) => n + 15));
    await readAll(reader, worker);
    await expect.poll(kept, { timeout: 3_000 }).toEqual([40]);
    await putAll(3, 40);
    expect(kept()).toEqual([40, 41, 42, 43]);
    await readAll(reader, worker);
    expect(worker.calls.flat()).toEqual(numbers(43));
    // A restart finds the last one that was read.
    await put("43");
    expect(await callsOf()).toEqual([["43"]]);
  });

  it.each([
    "SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?1",
    `SELECT event_name FROM _stream_records
     WHERE table_name = ?1 AND shard_id = ?2 AND CAST(sequence_number AS INTEGER) > ?3
     ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT ?4`,
  ])("are found by an index in the engine's query %#", (query) => {
    openStreamRecords(file, TABLE).close();
    const database = new DatabaseSync(file, { readOnly: true });
    closing.push(() => database.close());
    const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${query}`).all());
    expect(plan).toMatch(/SEARCH _stream_records USING (COVERING )?INDEX stream_records_by_sequence/);
    expect(plan).not.toMatch(/TEMP B-TREE/);
  });

  it("are complete and in order when they are written and removed concurrently", async () => {
    const worker = workerOf();
    const reader = removingReader(100);
    let isWriting = true;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; n < 250; n += 1) await put(`${writer}-${n}`);
    };
    const read = async (): Promise<void> => {
      while (isWriting) await readAll(reader, worker);
    };
    const reading = read();
    await Promise.all([0, 1, 2, 3].map(write));
    isWriting = false;
    await reading;
    await readAll(reader, worker);
    const keys = worker.calls.flat();
    expect(keys).toHaveLength(1_000);
    for (const writer of ["0", "1", "2", "3"]) {
      const own = keys.filter((key) => key.startsWith(`${writer}-`));
      expect(own).toEqual(numbers(250).map((n) => `${writer}-${n}`));
    }
  });
});

describe("the pollers", () => {
  useEngine();

  const startPollers = async (more: Partial<Parameters<typeof startWorkers>[0]> = {}) => {
    const queue = await startQueue({ table: TABLE, region: REGION });
    closing.push(() => queue.stop());
    let wakes = 0;
    const wake = (): void => {
      wakes += 1;
      queue.wake();
    };
    const checkpoint = openCheckpoint(join(folder, "stream.json"));
    const workers = startWorkers({
      ...{ sources: readEventSources(), queue: { url: queue.url, endpoint: queue.endpoint }, region: REGION },
      stream: { endpoint: engine.endpoint, table: TABLE, checkpoint },
      ...{ at: () => null, onRead: () => {}, warn: () => {}, wake, ...more },
    });
    return { queue, workers, wakes: () => wakes };
  };

  it("are woken until they have stopped", async () => {
    const { workers, wakes } = await startPollers();
    await workers.stop();
    const before = wakes();
    expect(before).toBeGreaterThan(1);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(wakes()).toBe(before);
  });

  it("serve queue and stream, wait while the service is away, and warn once", async () => {
    const invoked: string[] = [];
    const server = createServer(async (request, reply) => {
      for await (const _ of request);
      invoked.push(request.url?.split("/").at(-2) ?? "");
      reply.end("null");
    });
    const socket = join(folder, "lambda");
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    let at: string | null = null;
    const warnings: string[] = [];
    const { queue, workers } = await startPollers({ at: () => at, warn: (line) => warnings.push(line) });
    closing.push(() => workers.stop());
    const { endpoint, url: QueueUrl } = queue;
    const client = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false, region: REGION, credentials });
    closing.push(() => client.destroy());
    await client.send(new SendMessageCommand({ QueueUrl, MessageBody: "{}" }));
    await put("a hunt");
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(invoked).toEqual([]);
    at = socket;
    await expect
      .poll(() => invoked.toSorted(), { timeout: 5_000 })
      .toEqual(["zombie-game-local-announce", "zombie-game-local-deliver"]);
    await expect.poll(() => queue.inspect(), { timeout: 5_000 }).toEqual([]);
    expect(warnings).toEqual([]);
    await queue.stop();
    await expect.poll(() => warnings.length, { timeout: 5_000 }).toBe(1);
    expect(warnings[0]).toMatch(/^The queue cannot be reached .*. Retrying\.$/);
    await workers.stop();
    const positions = JSON.parse(await readFile(join(folder, "stream.json"), "utf8"));
    expect(positions).toEqual({ [`shardId-00000001-${TABLE}`]: "1" });
  });
});
