/** The queue on this machine, and the poller that hands it to a worker as Lambda does. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { makeInvoker, parseFailedIds } from "../../scripts/local/invocation.ts";
import { type LocalQueue, startQueue } from "../../scripts/local/queue.ts";
import { openQueueSource, type QueueSource } from "../../scripts/local/queueSource.ts";

const REGION = "eu-central-1";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

vi.setConfig({ testTimeout: 30_000 });

/** What is to be closed after a test, the last first. */
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const clientOf = ({ endpoint }: LocalQueue): SQSClient => {
  const client = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false, region: REGION, credentials });
  closing.push(() => client.destroy());
  return client;
};

const open = async (more: { folder?: string; visibility?: number } = {}): Promise<LocalQueue> => {
  const queue = await startQueue({ table: "a-game", region: REGION, ...more });
  closing.push(() => queue.stop());
  return queue;
};

const sourceOf = ({ url, endpoint }: LocalQueue, batchSize = 4, reportsFailures = true): QueueSource => {
  const source = openQueueSource({ url, endpoint, region: REGION, batchSize, reportsFailures });
  closing.push(() => source.close());
  return source;
};

const send = async (queue: LocalQueue, bodies: readonly string[], delay = 0): Promise<void> => {
  const client = clientOf(queue);
  for (const MessageBody of bodies) {
    await client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody, DelaySeconds: delay }));
  }
};

/** A worker that does as it is told, and remembers what it was given. */
const script = (
  answer: (event: SQSEvent, call: number) => unknown,
): { invoke: (event: unknown) => Promise<unknown>; calls: SQSEvent[] } => {
  const calls: SQSEvent[] = [];
  return {
    calls,
    invoke: async (event) => {
      // As Lambda has it: through JSON.
      const given: SQSEvent = JSON.parse(JSON.stringify(event));
      calls.push(given);
      return answer(given, calls.length);
    },
  };
};

const bodiesOf = (calls: readonly SQSEvent[]): string[][] =>
  calls.map(({ Records }) => Records.map(({ body }) => body));

const states = (queue: LocalQueue): Record<string, string> =>
  Object.fromEntries(queue.inspect().map(({ body, state }) => [body, state]));

const failing = (...itemIdentifiers: unknown[]): unknown => ({
  batchItemFailures: itemIdentifiers.map((itemIdentifier) => ({ itemIdentifier })),
});

/** Receives until nothing is due, with what failed made due again. */
const work = async (queue: LocalQueue, source: QueueSource, invoke: (event: unknown) => Promise<unknown>) => {
  for (let left = 50; left > 0; left -= 1) {
    queue.hurry();
    if ((await source.takeBatch(invoke)) === 0) return;
  }
  throw new Error("the queue is never empty");
};

describe("what a worker's answer says has failed", () => {
  it.each([
    ["nothing", undefined],
    ["null", null],
    ["an empty text", ""],
    ["an empty object", {}],
    ["an empty list", { batchItemFailures: [] }],
    ["null for a list", { batchItemFailures: null }],
    ["something beside", { sent: 3 }],
  ])("is nothing when it is %s", (_, answer) => {
    expect(parseFailedIds(answer, ["a", "b"])).toEqual(new Set());
  });

  it("is what it names", () => {
    expect(parseFailedIds(failing("b", "b"), ["a", "b"])).toEqual(new Set(["b"]));
  });

  it.each([
    ["an unknown message", failing("a", "c")],
    ["an empty id", failing("")],
    ["null for an id", failing(null)],
    ["a number for an id", failing(1)],
    ["another key", { batchItemFailures: [{ id: "a" }] }],
    ["a text for the list", { batchItemFailures: "a" }],
    ["a text", "done"],
    ["a list", [failing("a")]],
  ])("is all when it has %s", (_, answer) => {
    expect(parseFailedIds(answer, ["a", "b"])).toEqual(new Set(["a", "b"]));
  });
});

describe("the queue", () => {
  it("takes no request of a browser, and none without the secret of its endpoint", async () => {
    const { endpoint } = await open();
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": "AmazonSQS.ListQueues" };
    const status = async (url: string, more: Record<string, string> = {}) =>
      (await fetch(url, { method: "POST", headers: { ...headers, ...more }, body: "{}" })).status;
    expect(await status(`${endpoint}/`)).toBe(200);
    expect(await status(`${endpoint}/`, { origin: "https://elsewhere.example" })).toBe(403);
    expect(await status(new URL(endpoint).origin)).toBe(403);
    expect(await status(`${new URL(endpoint).origin}/${"0".repeat(32)}/`)).toBe(403);
  });

  it("is the deployed one, and answers on loopback alone", async () => {
    const queue = await open();
    expect(queue.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\da-f]{32}$/);
    expect(queue.url).toMatch(/\/a-game-push$/);
    const { Attributes } = await clientOf(queue).send(
      new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: ["All"] }),
    );
    expect(Attributes).toMatchObject({ VisibilityTimeout: "360", MessageRetentionPeriod: "345600" });
    const dead = await clientOf(queue).send(
      new GetQueueAttributesCommand({ QueueUrl: queue.deadLetters, AttributeNames: ["QueueArn"] }),
    );
    expect(JSON.parse(Attributes?.RedrivePolicy ?? "")).toEqual({
      deadLetterTargetArn: dead.Attributes?.QueueArn,
      maxReceiveCount: 5,
    });
  });

  it("keeps what lies on it, in every state, and whatever its port is", async () => {
    const folder = await mkdtemp(join(tmpdir(), "queue-"));
    closing.push(() => rm(folder, { recursive: true }));
    const first = await startQueue({ table: "a-game", region: REGION, folder, visibility: 1 });
    await send(first, ["taken"]);
    await sourceOf(first).takeBatch(script(() => failing("nobody")).invoke);
    await send(first, ["ready"]);
    await send(first, ["later"], 900);
    const before = first.inspect();
    await first.stop();
    const second = await open({ folder });
    expect(second.url).not.toBe(first.url);
    const order = (lying: typeof before): unknown[] =>
      lying
        .map(({ id, body, state, receives }) => ({ id, body, state, receives }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1));
    expect(order(second.inspect())).toEqual(order(before));
    expect(states(second)).toEqual({ taken: "in flight", ready: "ready", later: "delayed" });
    const done = script(() => null);
    await work(second, sourceOf(second), done.invoke);
    expect(bodiesOf(done.calls).flat().toSorted()).toEqual(["later", "ready", "taken"]);
    expect(second.inspect()).toEqual([]);
  });

  it("keeps its dead letters, too", async () => {
    const folder = await mkdtemp(join(tmpdir(), "queue-"));
    closing.push(() => rm(folder, { recursive: true }));
    const first = await startQueue({ table: "a-game", region: REGION, folder });
    await send(first, ["poison"]);
    await work(first, sourceOf(first), script(() => failing("nobody")).invoke);
    await first.stop();
    expect(states(await open({ folder }))).toEqual({ poison: "dead" });
  });
});

describe("a batch of messages", () => {
  let queue: LocalQueue;
  beforeEach(async () => {
    queue = await open();
  });

  it("comes as Lambda gives it", async () => {
    await clientOf(queue).send(
      new SendMessageCommand({
        QueueUrl: queue.url,
        MessageBody: '{"n":1}',
        MessageAttributes: {
          kind: { DataType: "String", StringValue: "page" },
          bytes: { DataType: "Binary", BinaryValue: Buffer.from([1, 2, 3]) },
        },
      }),
    );
    const { invoke, calls } = script(() => null);
    expect(await sourceOf(queue).takeBatch(invoke)).toBe(1);
    expect(calls[0]?.Records).toEqual([
      {
        messageId: expect.stringMatching(/^[\da-f-]{36}$/),
        receiptHandle: expect.stringMatching(/./),
        body: '{"n":1}',
        attributes: {
          ApproximateReceiveCount: "1",
          SentTimestamp: expect.stringMatching(/^\d{13}$/),
          SenderId: expect.any(String),
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d{13}$/),
        },
        messageAttributes: {
          kind: { stringValue: "page", stringListValues: [], binaryListValues: [], dataType: "String" },
          bytes: { binaryValue: "AQID", stringListValues: [], binaryListValues: [], dataType: "Binary" },
        },
        md5OfBody: expect.stringMatching(/^[\da-f]{32}$/),
        eventSource: "aws:sqs",
        eventSourceARN: `arn:aws:sqs:${REGION}:000000000000:a-game-push`,
        awsRegion: REGION,
      },
    ]);
    expect(queue.inspect()).toEqual([]);
  });

  it("loses only those that did not fail", async () => {
    await send(queue, ["a", "b", "c"]);
    const { invoke } = script(({ Records }) => failing(Records[1]?.messageId));
    await sourceOf(queue).takeBatch(invoke);
    expect(states(queue)).toEqual({ b: "in flight" });
    const again = script(() => null);
    queue.hurry();
    await sourceOf(queue).takeBatch(again.invoke);
    expect(bodiesOf(again.calls)).toEqual([["b"]]);
    expect(again.calls[0]?.Records[0]?.attributes.ApproximateReceiveCount).toBe("2");
    expect(queue.inspect()).toEqual([]);
  });

  it.each([
    [
      "throws",
      () => {
        throw new Error("out of order");
      },
    ],
    ["names a message that was not in it", () => failing("somebody else's")],
    ["answers nonsense", () => "done"],
  ])("stays as a whole when the worker %s", async (_, answer) => {
    await send(queue, ["a", "b", "c"]);
    await sourceOf(queue).takeBatch(script(answer).invoke);
    expect(states(queue)).toEqual({ a: "in flight", b: "in flight", c: "in flight" });
  });

  it("is done when a worker that reports nothing answers anything", async () => {
    await send(queue, ["a", "b"]);
    await sourceOf(queue, 4, false).takeBatch(script(() => failing("a")).invoke);
    expect(queue.inspect()).toEqual([]);
  });

  it("comes again by itself when it has stayed away long enough", async () => {
    const brief = await open({ visibility: 1 });
    await send(brief, ["a"]);
    const source = sourceOf(brief);
    await source.takeBatch(script(() => failing("nobody")).invoke);
    const again = script(() => null);
    expect(await source.takeBatch(again.invoke)).toBe(0);
    expect(await source.takeBatch(again.invoke, 5)).toBe(1);
    expect(brief.inspect()).toEqual([]);
  });

  it("is laid aside after five receives, and the others go on", async () => {
    await send(queue, ["poison", "good"]);
    const { invoke, calls } = script(({ Records }) =>
      failing(...Records.filter(({ body }) => body === "poison").map(({ messageId }) => messageId)),
    );
    await work(queue, sourceOf(queue), invoke);
    const counts = Map.groupBy(bodiesOf(calls).flat(), (body) => body);
    expect(counts.get("poison")).toHaveLength(5);
    expect(counts.get("good")).toHaveLength(1);
    expect(states(queue)).toEqual({ poison: "dead" });
  });

  it("is never larger than the worker takes, and none is given twice", async () => {
    const bodies = Array.from({ length: 43 }, (_, n) => `message ${n}`);
    await send(queue, bodies);
    const { invoke, calls } = script(() => null);
    const source = sourceOf(queue, 10);
    // Two at once, as the service does it.
    const take = async (): Promise<void> => {
      while ((await source.takeBatch(invoke)) > 0);
    };
    await Promise.all([take(), take()]);
    expect(Math.max(...calls.map(({ Records }) => Records.length))).toBe(10);
    expect(bodiesOf(calls).flat().toSorted()).toEqual(bodies.toSorted());
    expect(queue.inspect()).toEqual([]);
  });
});

describe("an invocation", () => {
  let folder: string;
  let socket: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "invocation-"));
    socket = join(folder, "lambda");
  });
  afterEach(() => rm(folder, { recursive: true }));

  const listen = async (server: Server): Promise<void> => {
    await new Promise<void>((resolve) => server.listen(socket, resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
  };
  const serve = async (
    answer: (
      body: string,
      call: number,
    ) => { status?: number; headers?: Record<string, string>; body?: string } | null,
  ): Promise<void> => {
    let calls = 0;
    const server = createServer(async (request, reply) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      calls += 1;
      const told = answer(`${request.url} ${body}`, calls);
      if (told === null) request.socket.destroy();
      else reply.writeHead(told.status ?? 200, told.headers).end(told.body);
    });
    await listen(server);
  };
  const worker = { name: "a-worker", timeoutMs: 2_000, maxWaitMs: 5_000 };
  const { signal } = new AbortController();

  it("hands over the event and the answer", async () => {
    await serve((body) => ({ body: JSON.stringify({ given: body }) }));
    expect(await makeInvoker(() => socket, worker, signal)({ n: 1 })).toEqual({
      given: '/2015-03-31/functions/a-worker/invocations {"n":1}',
    });
  });

  it("that answers nothing is done", async () => {
    await serve(() => ({}));
    expect(await makeInvoker(() => socket, worker, signal)({})).toBeNull();
  });

  it.each([
    ["that throws", { headers: { "x-amz-function-error": "Unhandled" }, body: '{"errorMessage":"no"}' }],
    ["of a function that is not there", { status: 404, body: '{"Message":"Function not found"}' }],
    ["that answers no JSON", { body: "<html>" }],
  ])("%s has failed, and is not repeated", async (_, told) => {
    let calls = 0;
    await serve((__, call) => {
      calls = call;
      return told;
    });
    await expect(makeInvoker(() => socket, worker, signal)({})).rejects.toThrow();
    expect(calls).toBe(1);
  });

  it("that takes too long has failed", async () => {
    await listen(createServer(() => {}));
    await expect(makeInvoker(() => socket, { ...worker, timeoutMs: 100 }, signal)({})).rejects.toThrow(
      /longer than 0.1 s/,
    );
  });

  it("waits for a service that is being started anew, and is repeated when it broke off", async () => {
    let at: string | null = null;
    const answer = makeInvoker(() => at, worker, signal)({});
    await new Promise((resolve) => setTimeout(resolve, 100));
    // Known, but not listening yet.
    at = socket;
    await new Promise((resolve) => setTimeout(resolve, 100));
    await serve((_, call) => (call === 1 ? null : { body: `{"call":${call}}` }));
    expect(await answer).toEqual({ call: 2 });
  });

  it("gives up a service that stays away, or when all ends", async () => {
    await expect(makeInvoker(() => null, { ...worker, maxWaitMs: 150 }, signal)({})).rejects.toThrow(
      /cannot be reached/,
    );
    const ending = new AbortController();
    const answer = makeInvoker(
      () => null,
      { ...worker, maxWaitMs: Number.POSITIVE_INFINITY },
      ending.signal,
    )({});
    ending.abort();
    await expect(answer).rejects.toThrow(/cannot be reached/);
  });
});
