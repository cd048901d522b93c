/** The local table's stream, and the poller that passes its records to a worker as Lambda does. */
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
import { openBacklog } from "../../scripts/local/backlog.ts";
import { type Engine, startEngine } from "../../scripts/local/engine.ts";
import { openStreamRecords } from "../../scripts/local/streamRecords.ts";
import { openStreamSource, type StreamSource } from "../../scripts/local/streamSource.ts";
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

/** A reader that goes on from the stored position. */
const reader = (options: { batchSize?: number; onRead?: (at: string) => void } = {}): StreamSource => {
  const backlog = openBacklog(join(folder, "backlog"));
  const { batchSize = 100, ...others } = options;
  const source = openStreamSource(
    { endpoint: engine.endpoint, region: REGION, table: TABLE },
    { worker: { batchSize, patterns: [] }, positions: backlog.positions, pace: 0, ...others },
  );
  onTestFinished(() => {
    source.close();
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
    await reader().read(invoke);
    const records = events.flatMap(({ Records }) => Records);
    expect(records.map(({ eventName }) => eventName)).toEqual(["INSERT", "MODIFY", "REMOVE"]);
    const NewImage = { ...key, n: { N: "5" }, bytes: { B: "AQID" } };
    expect(records[0]?.dynamodb).toMatchObject({ Keys: key, NewImage });
    const createdAt = records[0]?.dynamodb?.ApproximateCreationDateTime ?? 0;
    expect(Math.abs(Date.now() / 1_000 - createdAt)).toBeLessThan(60);

    expect(await callsOf()).toEqual([]);
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

  it("has records that are removed once read, except the last, from which the engine counts on", async () => {
    const kept = (): unknown[] => {
      using database = new DatabaseSync(file, { readOnly: true });
      const select = "SELECT CAST(sequence_number AS INTEGER) AS n FROM _stream_records ORDER BY 1";
      return Array.from(database.prepare(select).iterate(), ({ n }) => n);
    };
    await putAll(40);
    const records = openStreamRecords(file, TABLE);
    onTestFinished(() => records.close());
    const source = reader({ batchSize: 15, onRead: (position) => records.remove(position) });
    expect(await callsOf(undefined, source)).toEqual([numbers(15), numbers(15, 15), numbers(10, 30)]);
    await expect.poll(kept).toEqual([40]);
    await putAll(3, 40);
    expect(kept()).toEqual([40, 41, 42, 43]);
    expect(await callsOf(undefined, source)).toEqual([numbers(3, 40)]);
    // A restart finds the last one that was read.
    await put("43");
    expect(await callsOf()).toEqual([["43"]]);
  });
});
