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
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type Engine, startEngine } from "../../scripts/local/engine.ts";
import type { StreamWorker } from "../../scripts/local/sources.ts";
import { openStreamRecords } from "../../scripts/local/streamRecords.ts";
import { openCheckpoint, openStreamSource } from "../../scripts/local/streamSource.ts";
import { createTable } from "../../scripts/local/table.ts";
import { tempDirOfTest } from "../support/tempDir.ts";
import { credentials, REGION, TABLE, workerOf } from "./localWorkers.ts";

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

const put = async (sk: string, more: Record<string, string> = {}): Promise<void> => {
  const Item = marshall({ pk: "INTERACTIONS#0", sk, ...more });
  await tables.send(new PutItemCommand({ TableName: TABLE, Item }));
};

const numbers = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => String(from + n));

const putAll = async (count: number, from = 0): Promise<void> => {
  for (const sk of numbers(count, from)) await put(sk);
};

/** A reader, and the records that it has given up: the first, the last, and the error. */
const readerOf = (worker: Partial<StreamWorker> = {}, onRead = (_shard: string, _at: string) => {}) => {
  const lost: [string, string, string][] = [];
  const defaults = { batchSize: 100, reportsFailures: true, bisects: true, mostRetries: 3, patterns: [] };
  const source = openStreamSource(
    { endpoint: engine.endpoint, region: REGION, table: TABLE },
    {
      worker: { ...defaults, ...worker },
      checkpoint: openCheckpoint(join(folder, "stream.json")),
      onLost: (...given) => lost.push(given),
      ...{ onRead, pace: 0 },
    },
  );
  onTestFinished(() => source.close());
  return { source, lost };
};

type Respond = (event: DynamoDBStreamEvent, call: number) => unknown;

const keysOf = ({ Records }: DynamoDBStreamEvent): string[] =>
  Records.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S ?? "");

/** The response of a worker that failed at records with these sort keys. */
const failedAt = ({ Records }: DynamoDBStreamEvent, ...keys: string[]): unknown => {
  const failed = Records.filter(({ dynamodb }) => keys.includes(dynamodb?.Keys?.sk?.S ?? ""));
  return { batchItemFailures: failed.map(({ dynamodb }) => ({ itemIdentifier: dynamodb?.SequenceNumber })) };
};

/** The sort keys of each call of a worker with these responses, after it has read everything. */
const callsOf = async (respond?: Respond, { source } = readerOf()): Promise<string[][]> => {
  const { invoke, events } = workerOf<DynamoDBStreamEvent>(respond);
  while ((await source.takeBatch(invoke)) > 0);
  return events.map(keysOf);
};

describe("the table's stream", () => {
  beforeEach(async () => {
    folder = tempDirOfTest();
    file = join(folder, "game.db");
    await start();
    onTestFinished(() => stop());
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
    await readerOf().source.takeBatch(invoke);
    const records = events.flatMap(({ Records }) => Records);
    expect(records.map(({ eventName }) => eventName)).toEqual(["INSERT", "MODIFY", "REMOVE"]);
    const NewImage = { ...key, n: { N: "5" }, bytes: { B: "AQID" } };
    expect(records[0]?.dynamodb).toMatchObject({ Keys: key, NewImage });
    const createdAt = records[0]?.dynamodb?.ApproximateCreationDateTime ?? 0;
    expect(Math.abs(Date.now() / 1_000 - createdAt)).toBeLessThan(60);

    expect(await callsOf()).toEqual([]);
  });

  // What an invalid report means is tested with the queue, which reads it in the same way.
  it.each<[string, Respond, Partial<StreamWorker>, from: number]>([
    ["continues from the first record that is reported", (event) => failedAt(event, "3", "1"), {}, 1],
    ["repeats the complete batch after an invalid report", () => "done", {}, 0],
    ["repeats it after an error when it is not bisected", () => Promise.reject(0), { bisects: false }, 0],
  ])("%s", async (_, respond, worker, from) => {
    await putAll(4);
    const reader = readerOf(worker);
    const calls = await callsOf((event, call) => (call === 1 ? respond(event, call) : null), reader);
    expect(calls).toEqual([numbers(4), numbers(4 - from, from)]);
    expect(reader.lost).toEqual([]);
  });

  it("bisects a batch at which the worker throws, and gives up a record that fails every time", async () => {
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

    await putAll(3, 10);
    const reported = await callsOf((event) => failedAt(event, "11"), reader);
    expect(reported).toEqual([numbers(3, 10), ...Array(3).fill(numbers(2, 11))]);
    expect(reader.lost).toHaveLength(2);
    await put("13");
    expect(await callsOf(undefined, reader)).toEqual([["13"]]);
  });

  it("starts from the beginning of a new table, also of a new engine", async () => {
    await putAll(3);
    const reader = readerOf();
    expect(await callsOf(undefined, reader)).toEqual([numbers(3)]);
    await tables.send(new DeleteTableCommand({ TableName: TABLE }));
    expect(await callsOf(undefined, reader)).toEqual([]);
    // The stream is enabled for a table that was created without it.
    await newTable(false);
    await newTable();
    await putAll(4, 10);
    expect(await callsOf(undefined, reader)).toEqual([numbers(4, 10)]);
    await stop();
    await rm(file);
    await start();
    await newTable();
    await putAll(2, 20);
    expect(await callsOf()).toEqual([numbers(2, 20)]);
  });

  it("has records that are removed once read, except the last, from which the engine counts on", async () => {
    const kept = (): unknown[] => {
      using database = new DatabaseSync(file, { readOnly: true });
      const select = "SELECT CAST(sequence_number AS INTEGER) AS n FROM _stream_records ORDER BY 1";
      return Array.from(database.prepare(select).iterate(), ({ n }) => n);
    };
    await putAll(40);
    const records = openStreamRecords(file, TABLE);
    onTestFinished(() => records.close());
    const reader = readerOf({ batchSize: 15 }, (_, position) => records.read(position));
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
});
