/** The local table's stream, and the poller that passes its records to a worker as Lambda does. */
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  DeleteItemCommand,
  DeleteTableCommand,
  DynamoDBClient,
  PutItemCommand,
} from "@aws-sdk/client-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { beforeEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import { type Engine, startEngine } from "../../scripts/local/engine.ts";
import { compilePattern } from "../../scripts/local/patterns.ts";
import { readEventSources, type StreamWorker } from "../../scripts/local/sources.ts";
import { openStreamRecords } from "../../scripts/local/streamRecords.ts";
import { openCheckpoint, openStreamSource, type StreamSource } from "../../scripts/local/streamSource.ts";
import { createTable } from "../../scripts/local/table.ts";
import { closeAfterEach, credentials, REGION, TABLE, tempFolder, workerOf } from "./localWorkers.ts";

vi.setConfig({ testTimeout: 30_000 });

const later = closeAfterEach();
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

const newTable = (stream = true) => createTable(engine.endpoint, TABLE, { region: REGION, stream });

/** Gives each test of a group an engine on its own file, with the table and its stream. */
const useEngine = (): void => {
  beforeEach(async () => {
    folder = await tempFolder(later);
    file = join(folder, "game.db");
    await start();
    later(stop);
    await newTable();
  });
};

const put = async (sk: string, more: Record<string, string> = {}): Promise<void> => {
  const Item = marshall({ pk: "INTERACTIONS#0", sk, ...more });
  await tables.send(new PutItemCommand({ TableName: TABLE, Item }));
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
  more: { onRead?: (shard: string, at: string) => void } = {},
): Reader => {
  const lost: Reader["lost"] = [];
  const defaults = { batchSize: 100, reportsFailures: true, bisects: true, mostRetries: 3, patterns: [] };
  const source = openStreamSource(
    { endpoint: engine.endpoint, region: REGION, table: TABLE },
    {
      worker: { ...defaults, ...worker },
      checkpoint: openCheckpoint(join(folder, "stream.json")),
      onLost: (...given) => lost.push(given),
      pace: 0,
      ...more,
    },
  );
  later(() => source.close());
  return { source, lost };
};

type Respond = (event: DynamoDBStreamEvent, call: number) => unknown;

const keysOf = ({ Records }: DynamoDBStreamEvent): string[] =>
  Records.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S ?? "");

/** The response of a worker that failed at records with these sort keys. */
const failedAt = (event: DynamoDBStreamEvent, ...keys: string[]): unknown => ({
  batchItemFailures: event.Records.filter((_, at) => keys.includes(keysOf(event)[at] ?? "")).map(
    ({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber }),
  ),
});

/** The sort keys of each call of a worker with these responses, after it has read everything. */
const callsOf = async (respond?: Respond, { source } = readerOf()): Promise<string[][]> => {
  const { invoke, events } = workerOf<DynamoDBStreamEvent>(respond);
  while ((await source.takeBatch(invoke)) > 0);
  return events.map(keysOf);
};

const RECORD = { eventName: "INSERT", dynamodb: { Keys: { pk: { S: "LOGS#3" } } } };

it.each([
  [{ eventName: ["MODIFY", "INSERT"], dynamodb: { Keys: { pk: { S: [{ prefix: "LOGS#" }] } } } }, true],
  [{ eventName: ["REMOVE"] }, false],
  [{ eventName: ["INSERT"], dynamodb: { Keys: { pk: { S: [{ prefix: "LOG#" }] } } } }, false],
  [{ dynamodb: { OldImage: { action: { S: ["cure"] } } } }, false],
  [{ constructor: { name: ["Object"] } }, false],
])("the filter pattern %j is matched: %s", (pattern, matches) => {
  expect(compilePattern(pattern)(RECORD)).toBe(matches);
});

it.each([{ eventName: [{ exists: true }] }, { eventName: "INSERT" }, 3])(
  "the filter pattern %j is not supported locally",
  (pattern) => expect(() => compilePattern(pattern)).toThrow(/not supported|invalid/),
);

it("the event sources of functions.yml are read, and all their patterns are supported", () => {
  const { queue, stream } = readEventSources();
  expect(queue).toEqual([{ name: "deliver", timeout: 60, batchSize: 4, reportsFailures: true }]);
  expect(stream).toMatchObject({ name: "announce", reportsFailures: false, bisects: true });
  expect(stream?.patterns.length).toBeGreaterThan(0);
  for (const pattern of stream?.patterns ?? []) compilePattern(pattern);
});

describe("the table's stream", () => {
  useEngine();

  it("is in order, has Lambda's form, and is filtered", async () => {
    const key = { pk: { S: "A" }, sk: { S: "0" } };
    const item = { ...key, n: { N: "5" }, bytes: { B: Buffer.from([1, 2, 3]) } };
    await tables.send(new PutItemCommand({ TableName: TABLE, Item: item }));
    await put("0", { pk: "A", changed: "yes" });
    await tables.send(new DeleteItemCommand({ TableName: TABLE, Key: key }));
    const { invoke, events } = workerOf<DynamoDBStreamEvent>();
    await readerOf().source.takeBatch(invoke);
    const records = events.flatMap(({ Records }) => Records);
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

    await put("a hunt");
    await put("forbidden", { pk: "LOGS#0", action: "set_checkpoint", outcome: "forbidden" });
    await put("a checkpoint", { pk: "LOGS#0", action: "set_checkpoint", outcome: "done" });
    await put("a hunt", { note: "changed" });
    const patterns = readEventSources().stream?.patterns ?? [];
    expect(await callsOf(undefined, readerOf({ patterns }))).toEqual([["a hunt", "a checkpoint"]]);
    // Skipped records are not read again.
    expect(await callsOf()).toEqual([]);
  });

  // What an invalid report means is tested with the queue, which reads it in the same way.
  it.each<[string, Respond, Partial<StreamWorker>, from: number]>([
    ["continues from the first record that is reported", (event) => failedAt(event, "3", "1"), {}, 1],
    ["repeats the complete batch after an invalid report", () => "done", {}, 0],
    [
      "repeats it after an error when it must not be bisected",
      () => Promise.reject(0),
      { bisects: false },
      0,
    ],
  ])("%s", async (_, respond, worker, from) => {
    await putAll(4);
    const reader = readerOf(worker);
    const calls = await callsOf((event, call) => (call === 1 ? respond(event, call) : null), reader);
    expect(calls).toEqual([numbers(4), numbers(4 - from, from)]);
    expect(reader.lost).toEqual([]);
  });

  it("bisects a batch at which the worker throws, and gives up the record that causes it", async () => {
    await putAll(8);
    const reader = readerOf();
    const calls = await callsOf((event) => {
      if (keysOf(event).includes("5")) throw new Error("cannot process it");
    }, reader);
    const [failed, done] = [true, false].map((is) => calls.filter((keys) => keys.includes("5") === is));
    expect(done?.flat()).toEqual(["0", "1", "2", "3", "4", "6", "7"]);
    // The batch, its half, its quarter; then the record alone, with three retries.
    expect(failed?.map(({ length }) => length)).toEqual([8, 4, 2, 1, 1, 1, 1]);
    const [first] = reader.lost[0] ?? [];
    expect(reader.lost).toEqual([[first, first, "cannot process it"]]);
  });

  it("gives up a record that is reported every time, and continues after it", async () => {
    await putAll(3);
    const reader = readerOf();
    const calls = await callsOf((event) => failedAt(event, "1"), reader);
    expect(calls).toEqual([numbers(3), numbers(2, 1), numbers(2, 1), numbers(2, 1)]);
    expect(reader.lost).toHaveLength(1);
    await put("3");
    expect(await callsOf(undefined, reader)).toEqual([["3"]]);
  });

  it("loses and repeats nothing when reader and engine restart", async () => {
    await putAll(30);
    const { invoke, events } = workerOf<DynamoDBStreamEvent>();
    const before = readerOf({ batchSize: 10 });
    await before.source.takeBatch(invoke);
    before.source.close();
    await stop();
    await start();
    await putAll(5, 30);
    const rest = await callsOf(undefined, readerOf({ batchSize: 10 }));
    expect([...events.map(keysOf), ...rest].flat()).toEqual(numbers(35));
    expect(events).toHaveLength(1);
  });

  it("continues with what was not done when the reader ended within a batch", async () => {
    await putAll(6);
    const ending = new AbortController();
    const { invoke } = workerOf<DynamoDBStreamEvent>((event, call) => {
      if (call === 1) return failedAt(event, "2");
      ending.abort();
      throw new Error("the service cannot be reached");
    });
    const before = readerOf();
    await before.source.takeBatch(invoke, ending.signal);
    expect(before.lost).toEqual([]);
    expect(await callsOf()).toEqual([numbers(4, 2)]);
  });

  it("starts from the beginning of a new table, also of a new engine", async () => {
    await putAll(3);
    const reader = readerOf();
    expect(await callsOf(undefined, reader)).toEqual([numbers(3)]);
    await tables.send(new DeleteTableCommand({ TableName: TABLE }));
    expect(await callsOf(undefined, reader)).toEqual([]);
    await newTable();
    await putAll(4, 10);
    expect(await callsOf(undefined, reader)).toEqual([numbers(4, 10)]);
    await stop();
    await rm(file);
    await start();
    // The stream is enabled for a table that was created without it.
    await newTable(false);
    await newTable();
    await putAll(2, 20);
    expect(await callsOf()).toEqual([numbers(2, 20)]);
  });
});

// A thousand writes, which quick runs leave out.
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
    later(() => records.close());
    return readerOf({ batchSize }, { onRead: (_, position) => records.read(position) });
  };

  it("are removed once read, except the last, from which the engine counts on", async () => {
    await putAll(40);
    const reader = removingReader(15);
    await reader.source.takeBatch(workerOf().invoke);
    await expect.poll(kept, { timeout: 3_000 }).toEqual(Array.from({ length: 26 }, (_, n) => n + 15));
    expect((await callsOf(undefined, reader)).flat()).toEqual(numbers(25, 15));
    await expect.poll(kept, { timeout: 3_000 }).toEqual([40]);
    await putAll(3, 40);
    expect(kept()).toEqual([40, 41, 42, 43]);
    expect(await callsOf(undefined, reader)).toEqual([numbers(3, 40)]);
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
    later(() => database.close());
    const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${query}`).all());
    expect(plan).toMatch(/SEARCH _stream_records USING (COVERING )?INDEX stream_records_by_sequence/);
    expect(plan).not.toMatch(/TEMP B-TREE/);
  });
});
