/** The table's stream on this machine, and the poller that hands it to a worker as Lambda does. */
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

vi.setConfig({ testTimeout: 30_000 });

/** What is to be closed after a test, the last first. */
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

/** An engine on a file of its own for each test of a group, with the table and its stream. */
const onEngine = (): void => {
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "stream-"));
    file = join(folder, "game.db");
    await start();
    await createTable(engine.endpoint, TABLE, { region: REGION, stream: true });
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
    await stop();
    await rm(folder, { recursive: true });
  });
};

const put = async (pk: string, sk: string, more: Record<string, string> = {}): Promise<void> => {
  const rest = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, { S: value }]));
  await tables.send(
    new PutItemCommand({ TableName: TABLE, Item: { pk: { S: pk }, sk: { S: sk }, ...rest } }),
  );
};

const putAll = async (count: number, from = 0): Promise<void> => {
  for (let n = from; n < from + count; n += 1) await put("INTERACTIONS#0", String(n));
};

const numbers = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, n) => String(from + n));

interface Lost {
  first: string;
  last: string;
  fault: string;
}

interface Reading {
  source: StreamSource;
  lost: Lost[];
}

const reader = (
  worker: Partial<StreamWorker> = {},
  more: { onRead?: (shard: string, at: string) => void } = {},
): Reading => {
  const lost: Lost[] = [];
  const source = openStreamSource(
    { endpoint: engine.endpoint, region: REGION, table: TABLE },
    {
      worker: {
        batchSize: 100,
        reportsFailures: true,
        bisects: true,
        mostRetries: 3,
        patterns: [],
        ...worker,
      },
      checkpoint: openCheckpoint(join(folder, "stream.json")),
      onLost: (first, last, fault) => lost.push({ first, last, fault }),
      pace: 0,
      ...more,
    },
  );
  closing.push(() => source.close());
  return { source, lost };
};

/** The sort keys of each call: what a worker has seen. */
type Calls = string[][];

const script = (
  answer: (keys: string[], event: DynamoDBStreamEvent, call: number) => unknown = () => null,
): { invoke: (event: unknown) => Promise<unknown>; calls: Calls; events: DynamoDBStreamEvent[] } => {
  const calls: Calls = [];
  const events: DynamoDBStreamEvent[] = [];
  return {
    calls,
    events,
    invoke: async (event) => {
      const given: DynamoDBStreamEvent = JSON.parse(JSON.stringify(event));
      const keys = given.Records.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S ?? "");
      calls.push(keys);
      events.push(given);
      return answer(keys, given, calls.length);
    },
  };
};

/** What a worker says that had to stop at this record. */
const stoppedAt = ({ Records }: DynamoDBStreamEvent, key: string): unknown => {
  const at = Records.find(({ dynamodb }) => dynamodb?.Keys?.sk?.S === key)?.dynamodb?.SequenceNumber;
  return { batchItemFailures: at === undefined ? [] : [{ itemIdentifier: at }] };
};

const readAll = async ({ source }: Reading, invoke: (event: unknown) => Promise<unknown>): Promise<void> => {
  while ((await source.takeBatch(invoke)) > 0);
};

describe("a filter pattern", () => {
  const record = {
    eventName: "INSERT",
    dynamodb: {
      Keys: { pk: { S: "LOGS#3" } },
      NewImage: { action: { S: "set_checkpoint" }, count: { N: "1" } },
    },
  };

  it.each([
    ["a value", { eventName: ["INSERT"] }, true],
    ["one of two values", { eventName: ["MODIFY", "INSERT"] }, true],
    ["another value", { eventName: ["REMOVE"] }, false],
    ["a prefix", { dynamodb: { Keys: { pk: { S: [{ prefix: "LOGS#" }] } } } }, true],
    ["another prefix", { dynamodb: { Keys: { pk: { S: [{ prefix: "INTERACTIONS#" }] } } } }, false],
    [
      "two fields that hold",
      { eventName: ["INSERT"], dynamodb: { NewImage: { action: { S: ["set_checkpoint"] } } } },
      true,
    ],
    [
      "two fields of which one holds",
      { eventName: ["INSERT"], dynamodb: { NewImage: { action: { S: ["cure"] } } } },
      false,
    ],
    ["a field that is not there", { dynamodb: { OldImage: { action: { S: ["cure"] } } } }, false],
    ["a field of what is no object", { eventName: { S: ["INSERT"] } }, false],
    ["a value that every object inherits", { constructor: { name: ["Object"] } }, false],
    ["nothing", {}, true],
  ])("by %s", (_, pattern, holds) => {
    expect(compilePattern(pattern)(record)).toBe(holds);
  });

  it.each([
    [{ eventName: [{ exists: true }] }],
    [{ eventName: "INSERT" }],
    [{ eventName: [["INSERT"]] }],
    [3],
  ])("that is not kept here is refused: %j", (pattern) => {
    expect(() => compilePattern(pattern)).toThrow(/not supported|invalid/);
  });
});

describe("what functions.yml says of event sources", () => {
  it("is read for both workers, and every pattern is known", async () => {
    const { queue, stream } = readEventSources();
    expect(queue).toEqual([{ name: "deliver", timeout: 60, batchSize: 4, reportsFailures: true }]);
    expect(stream).toMatchObject({ name: "announce", reportsFailures: false, bisects: true });
    expect(stream?.patterns.length).toBeGreaterThan(0);
    for (const pattern of stream?.patterns ?? []) compilePattern(pattern);
  });
});

describe("the table's stream", () => {
  onEngine();

  it("comes in order, as Lambda gives it", async () => {
    await tables.send(
      new PutItemCommand({
        TableName: TABLE,
        Item: { pk: { S: "A" }, sk: { S: "0" }, n: { N: "5" }, bytes: { B: Buffer.from([1, 2, 3]) } },
      }),
    );
    await put("A", "0", { changed: "yes" });
    await tables.send(new DeleteItemCommand({ TableName: TABLE, Key: { pk: { S: "A" }, sk: { S: "0" } } }));
    const { invoke, events } = script();
    await readAll(reader(), invoke);
    const records = events.flatMap(({ Records }) => Records);
    expect(records.map(({ eventName }) => eventName)).toEqual(["INSERT", "MODIFY", "REMOVE"]);
    expect(records[0]).toEqual({
      eventID: expect.any(String),
      eventName: "INSERT",
      eventVersion: "1.1",
      eventSource: "aws:dynamodb",
      awsRegion: expect.any(String),
      eventSourceARN: expect.stringContaining(`table/${TABLE}/stream/`),
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { pk: { S: "A" }, sk: { S: "0" } },
        NewImage: { pk: { S: "A" }, sk: { S: "0" }, n: { N: "5" }, bytes: { B: "AQID" } },
        SequenceNumber: expect.stringMatching(/^\d+$/),
        SizeBytes: expect.any(Number),
        StreamViewType: "NEW_IMAGE",
      },
    });
    expect(
      Math.abs(Date.now() / 1_000 - (records[0]?.dynamodb?.ApproximateCreationDateTime ?? 0)),
    ).toBeLessThan(60);
  });

  it("is filtered, and what is not wanted is not seen again", async () => {
    await put("PLAYERS#0", "somebody");
    await put("INTERACTIONS#0", "a hunt");
    await put("LOGS#0", "a refusal", { action: "set_checkpoint", outcome: "forbidden" });
    await put("LOGS#0", "a checkpoint", { action: "set_checkpoint", outcome: "done" });
    await put("INTERACTIONS#0", "a hunt", { note: "changed" });
    const patterns = readEventSources().stream?.patterns ?? [];
    const { invoke, calls } = script();
    await readAll(reader({ patterns }), invoke);
    expect(calls).toEqual([["a hunt", "a checkpoint"]]);
    const nobody = script();
    expect(await reader().source.takeBatch(nobody.invoke)).toBe(0);
  });

  it("comes in batches no larger than the worker takes", async () => {
    await putAll(25);
    const { invoke, calls } = script();
    await readAll(reader({ batchSize: 10 }), invoke);
    expect(calls.map(({ length }) => length)).toEqual([10, 10, 5]);
    expect(calls.flat()).toEqual(numbers(25));
  });

  it("goes on from where a worker had to stop", async () => {
    await putAll(10);
    const { invoke, calls } = script((_, event, call) => (call === 1 ? stoppedAt(event, "4") : null));
    const reading = reader();
    await readAll(reading, invoke);
    expect(calls).toEqual([numbers(10), numbers(6, 4)]);
    expect(reading.lost).toEqual([]);
  });

  it("goes on from the first of several that a worker names", async () => {
    await putAll(5);
    const { invoke, calls } = script((_, { Records }, call) =>
      call > 1
        ? null
        : {
            batchItemFailures: [3, 1].map((at) => ({
              itemIdentifier: Records[at]?.dynamodb?.SequenceNumber,
            })),
          },
    );
    await readAll(reader(), invoke);
    expect(calls).toEqual([numbers(5), numbers(4, 1)]);
  });

  it.each([
    ["names what was not in the batch", { batchItemFailures: [{ itemIdentifier: "999999" }] }],
    ["names nothing", { batchItemFailures: [{ itemIdentifier: "" }] }],
    ["answers nonsense", "done"],
  ])("comes again as a whole when the worker %s", async (_, answer) => {
    await putAll(3);
    const { invoke, calls } = script((__, ___, call) => (call === 1 ? answer : null));
    await readAll(reader(), invoke);
    expect(calls).toEqual([numbers(3), numbers(3)]);
  });

  it("is halved when the worker throws, until what it cannot bear is alone, and passed over", async () => {
    await putAll(8);
    const done: string[] = [];
    const { invoke, calls } = script((keys) => {
      if (keys.includes("5")) throw new Error("cannot bear it");
      done.push(...keys);
    });
    const reading = reader();
    await readAll(reading, invoke);
    expect(done).toEqual(["0", "1", "2", "3", "4", "6", "7"]);
    // All of it, its half, its quarter; then alone: once, and three retries.
    expect(calls.filter((keys) => keys.includes("5")).map(({ length }) => length)).toEqual([
      8, 4, 2, 1, 1, 1, 1,
    ]);
    expect(reading.lost).toEqual([
      { first: expect.any(String), last: expect.any(String), fault: "cannot bear it" },
    ]);
    expect(reading.lost[0]?.first).toBe(reading.lost[0]?.last);
  });

  it("is not halved unless that is asked for", async () => {
    await putAll(4);
    const { invoke, calls } = script((_, __, call) => {
      if (call < 3) throw new Error("not yet");
    });
    await readAll(reader({ bisects: false }), invoke);
    expect(calls).toEqual([numbers(4), numbers(4), numbers(4)]);
  });

  it("is passed over when the worker stops at the same record again and again", async () => {
    await putAll(3);
    const { invoke, calls } = script((_, event) => stoppedAt(event, "1"));
    const reading = reader();
    await readAll(reading, invoke);
    expect(calls).toEqual([numbers(3), numbers(2, 1), numbers(2, 1), numbers(2, 1)]);
    expect(reading.lost).toHaveLength(1);
    await putAll(1, 3);
    const after = script();
    await readAll(reading, after.invoke);
    expect(after.calls).toEqual([["3"]]);
  });

  it("is neither lost nor repeated over restarts of the reader and of the engine", async () => {
    await putAll(30);
    const first = script();
    const before = reader({ batchSize: 10 });
    await before.source.takeBatch(first.invoke);
    before.source.close();
    await stop();
    await start();
    await putAll(5, 30);
    const second = script();
    await readAll(reader({ batchSize: 10 }), second.invoke);
    expect([...first.calls.flat(), ...second.calls.flat()]).toEqual(numbers(35));
    expect(first.calls.flat()).toHaveLength(10);
  });

  it("comes again from what was not done when all ended in the middle", async () => {
    await putAll(6);
    const ending = new AbortController();
    const { invoke } = script((_, event, call) => {
      if (call === 1) return stoppedAt(event, "2");
      ending.abort();
      throw new Error("the service cannot be reached");
    });
    const before = reader();
    await before.source.takeBatch(invoke, ending.signal);
    expect(before.lost).toEqual([]);
    const after = script();
    await readAll(reader(), after.invoke);
    expect(after.calls).toEqual([numbers(4, 2)]);
  });

  it("begins anew for a table that is made anew, without what has been read", async () => {
    await putAll(3);
    const reading = reader();
    const first = script();
    await readAll(reading, first.invoke);
    await tables.send(new DeleteTableCommand({ TableName: TABLE }));
    expect(await reading.source.takeBatch(first.invoke)).toBe(0);
    await createTable(engine.endpoint, TABLE, { region: REGION, stream: true });
    await putAll(2, 10);
    const second = script();
    await readAll(reading, second.invoke);
    expect(second.calls).toEqual([numbers(2, 10)]);
    expect(first.calls).toEqual([numbers(3)]);
  });

  it("is read from the beginning when another engine is in the place of the one that was read", async () => {
    await putAll(5);
    const first = script();
    await readAll(reader(), first.invoke);
    await stop();
    await rm(file);
    await start();
    await createTable(engine.endpoint, TABLE, { region: REGION, stream: true });
    await putAll(2, 20);
    const second = script();
    await readAll(reader(), second.invoke);
    expect(second.calls).toEqual([numbers(2, 20)]);
  });

  it("is switched on for a table that was made without", async () => {
    const other = "an-old-game";
    await createTable(engine.endpoint, other, { region: REGION });
    const source = openStreamSource(
      { endpoint: engine.endpoint, region: REGION, table: other },
      {
        worker: { batchSize: 10, reportsFailures: true, bisects: true, mostRetries: 3, patterns: [] },
        checkpoint: openCheckpoint(null),
        onLost: () => {},
      },
    );
    closing.push(() => source.close());
    const { invoke, calls } = script();
    expect(await source.takeBatch(invoke)).toBe(0);
    await createTable(engine.endpoint, other, { region: REGION, stream: true });
    await tables.send(new PutItemCommand({ TableName: other, Item: { pk: { S: "A" }, sk: { S: "first" } } }));
    await source.takeBatch(invoke);
    expect(calls).toEqual([["first"]]);
  });
});

// Several thousand writes: they wait for the whole run.
describe.skipIf(process.env.TEST_SCALE === "quick")("what the engine keeps of the stream", () => {
  onEngine();

  const Row = z.array(z.object({ sequence: z.number() }));

  const kept = (): number[] => {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      const select =
        "SELECT CAST(sequence_number AS INTEGER) AS sequence FROM _stream_records WHERE table_name = ? ORDER BY 1";
      return Row.parse(database.prepare(select).all(TABLE)).map(({ sequence }) => sequence);
    } finally {
      database.close();
    }
  };

  it("is removed when it has been read, but for the last; the engine counts on, and nothing is missed", async () => {
    const records = openStreamRecords(file, TABLE);
    closing.push(() => records.close());
    await putAll(40);
    const { invoke, calls } = script();
    const reading = reader({ batchSize: 15 }, { onRead: (_, position) => records.read(position) });
    await reading.source.takeBatch(invoke);
    await expect.poll(kept, { timeout: 3_000 }).toEqual(Array.from({ length: 26 }, (_, n) => n + 15));
    await readAll(reading, invoke);
    await expect.poll(kept, { timeout: 3_000 }).toEqual([40]);
    await putAll(3, 40);
    expect(kept()).toEqual([40, 41, 42, 43]);
    await readAll(reading, invoke);
    expect(calls.flat()).toEqual(numbers(43));
    // A restart finds the last one that was read.
    await put("INTERACTIONS#0", "43");
    const again = script();
    await readAll(reader(), again.invoke);
    expect(again.calls).toEqual([["43"]]);
  });

  it("is found by an index, at each write and at each reading", () => {
    openStreamRecords(file, TABLE).close();
    const database = new DatabaseSync(file, { readOnly: true });
    closing.push(() => database.close());
    // As the engine asks.
    for (const asked of [
      "SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?1",
      `SELECT event_name FROM _stream_records
       WHERE table_name = ?1 AND shard_id = ?2 AND CAST(sequence_number AS INTEGER) > ?3
       ORDER BY CAST(sequence_number AS INTEGER) ASC LIMIT ?4`,
    ]) {
      const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${asked}`).all());
      expect(plan).toMatch(/SEARCH _stream_records USING (COVERING )?INDEX stream_records_by_sequence/);
      expect(plan).not.toMatch(/TEMP B-TREE/);
    }
  });

  it("does not stand in the way of writes, nor they in its way", async () => {
    const records = openStreamRecords(file, TABLE);
    closing.push(() => records.close());
    const { invoke, calls } = script();
    const reading = reader({}, { onRead: (_, position) => records.read(position) });
    let writing = true;
    const write = async (writer: number): Promise<void> => {
      for (let n = 0; n < 250; n += 1) await put("INTERACTIONS#0", `${writer}-${n}`);
    };
    const read = async (): Promise<void> => {
      while (writing) await readAll(reading, invoke);
    };
    const reads = read();
    await Promise.all([write(0), write(1), write(2), write(3)]);
    writing = false;
    await reads;
    await readAll(reading, invoke);
    expect(calls.flat()).toHaveLength(1_000);
    expect(new Set(calls.flat()).size).toBe(1_000);
    for (const writer of ["0", "1", "2", "3"]) {
      const own = calls.flat().filter((key) => key.startsWith(`${writer}-`));
      expect(own).toEqual(numbers(250).map((n) => `${writer}-${n}`));
    }
  });
});

describe("the pollers", () => {
  onEngine();

  it("are woken until they have ended, for a question may still be on its way when all ends", async () => {
    const queue = await startQueue({ table: TABLE, region: REGION });
    closing.push(() => queue.stop());
    let woken = 0;
    const workers = startWorkers({
      sources: readEventSources(),
      queue: { url: queue.url, endpoint: queue.endpoint },
      stream: {
        endpoint: engine.endpoint,
        table: TABLE,
        checkpoint: openCheckpoint(join(folder, "stream.json")),
      },
      region: REGION,
      at: () => null,
      onRead: () => {},
      warn: () => {},
      wake: () => {
        woken += 1;
        queue.wake();
      },
    });
    await workers.stop();
    expect(woken).toBeGreaterThan(1);
    const before = woken;
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(woken).toBe(before);
  });

  it("serve queue and stream, wait out a service that is away, and say so once", async () => {
    const queue = await startQueue({ table: TABLE, region: REGION });
    closing.push(() => queue.stop());
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
    const sources = readEventSources();
    const workers = startWorkers({
      sources,
      queue: { url: queue.url, endpoint: queue.endpoint },
      stream: {
        endpoint: engine.endpoint,
        table: TABLE,
        checkpoint: openCheckpoint(join(folder, "stream.json")),
      },
      region: REGION,
      at: () => at,
      onRead: () => {},
      warn: (line) => warnings.push(line),
      wake: () => queue.wake(),
    });
    closing.push(() => workers.stop());
    const client = new SQSClient({
      endpoint: queue.endpoint,
      useQueueUrlAsEndpoint: false,
      region: REGION,
      credentials,
    });
    closing.push(() => client.destroy());
    await client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody: "{}" }));
    await put("INTERACTIONS#0", "a hunt");
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
    expect(JSON.parse(await readFile(join(folder, "stream.json"), "utf8"))).toEqual({
      [`shardId-00000001-${TABLE}`]: "1",
    });
  });
});
