/**
 * The local queue, and the poller that passes its messages to a worker as Lambda does. That messages survive a restart
 * in every state is tested in tests/http/queue.test.ts.
 */
import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { GetQueueAttributesCommand, SendMessageCommand } from "@aws-sdk/client-sqs";
import type { SQSEvent } from "aws-lambda";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { openQueue } from "../../lib/queue/queue.ts";
import { makeInvoker, parseFailedIds } from "../../scripts/local/invocation.ts";
import { type LocalQueue, startQueue } from "../../scripts/local/queue.ts";
import { openQueueSource, type QueueSource } from "../../scripts/local/queueSource.ts";
import { withQueue } from "../support/queue.ts";
import { tempDirOfTest } from "../support/tempDir.ts";
import { REGION, TABLE, workerOf } from "./localWorkers.ts";

const open = async (kept: { folder?: string } = {}): Promise<LocalQueue> => {
  const queue = await startQueue({ table: TABLE, region: REGION, ...kept });
  onTestFinished(() => queue.stop());
  return queue;
};

const sourceOf = ({ url, endpoint }: LocalQueue, batchSize = 4, reportsFailures = true): QueueSource => {
  const source = openQueueSource({ url, endpoint, region: REGION, batchSize, reportsFailures });
  onTestFinished(() => source.close());
  return source;
};

const send = ({ endpoint, url: QueueUrl }: LocalQueue, bodies: readonly string[]): Promise<void> =>
  withQueue(endpoint, async (client) => {
    for (const MessageBody of bodies) await client.send(new SendMessageCommand({ QueueUrl, MessageBody }));
  });

const bodiesOf = (events: readonly SQSEvent[]): string[][] =>
  events.map(({ Records }) => Records.map(({ body }) => body));

const failing = (...itemIdentifiers: unknown[]): unknown => ({
  batchItemFailures: itemIdentifiers.map((itemIdentifier) => ({ itemIdentifier })),
});
const failsAll = () => failing("unknown");

it("reads the failures that a worker reports as Lambda does: all, if a report is invalid", () => {
  const failedBy = (response: unknown) => [...parseFailedIds(response, ["a", "b"])];
  for (const none of [undefined, { batchItemFailures: null }]) expect(failedBy(none)).toEqual([]);
  expect(failedBy(failing("b", "b"))).toEqual(["b"]);
  for (const invalid of [failing("a", "c"), failing(""), { batchItemFailures: [{ id: "a" }] }, "done"])
    expect(failedBy(invalid)).toEqual(["a", "b"]);
});

describe("the queue", () => {
  it("has the deployed queue's times, and rejects browsers and requests without its endpoint's secret", async () => {
    const { endpoint, url: QueueUrl } = await open();
    const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ["All"] });
    const { Attributes } = await withQueue(endpoint, (client) => client.send(read));
    expect(Attributes).toMatchObject({ VisibilityTimeout: "360", MessageRetentionPeriod: "345600" });
    expect(endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/[\da-f]{32}$/);
    const own = { "content-type": "application/x-amz-json-1.0", "x-amz-target": "AmazonSQS.ListQueues" };
    const status = async (at: string, more: Record<string, string> = {}) =>
      (await fetch(at, { method: "POST", headers: { ...own, ...more }, body: "{}" })).status;
    expect(await status(`${endpoint}/`)).toBe(200);
    expect(await status(`${endpoint}/`, { origin: "https://elsewhere.example" })).toBe(403);
    const { origin } = new URL(endpoint);
    for (const at of [origin, `${origin}/${"0".repeat(32)}/`]) expect(await status(at)).toBe(403);
  });

  it("takes any number of messages from the service", async () => {
    const queue = await open();
    const message = { kind: "sweep", fencingToken: "a-token" } as const;
    await openQueue(queue).send(Array.from({ length: 21 }, () => ({ message })));
    expect(queue.inspect()).toHaveLength(21);
  });

  it("dead-letters a message after five receives, without delaying others, and keeps it over a restart", async () => {
    const folder = tempDirOfTest();
    const first = await open({ folder });
    await send(first, ["poison", "good"]);
    const { invoke, events } = workerOf<SQSEvent>(({ Records }) =>
      failing(...Records.filter(({ body }) => body === "poison").map(({ messageId }) => messageId)),
    );
    const source = sourceOf(first);
    do first.hurry();
    while ((await source.takeBatch(invoke)) > 0);
    expect(bodiesOf(events).flat().toSorted()).toEqual(["good", ...Array(5).fill("poison")]);
    await first.stop();
    const again = await open({ folder });
    expect(again.inspect()).toMatchObject([{ body: "poison", state: "dead" }]);
  });
});

describe("a batch of messages", () => {
  let queue: LocalQueue;
  beforeEach(async () => {
    queue = await open();
  });

  it("has Lambda's form", async () => {
    const attributes = {
      kind: { DataType: "String", StringValue: "page" },
      bytes: { DataType: "Binary", BinaryValue: Buffer.from([1, 2, 3]) },
    };
    const message = { QueueUrl: queue.url, MessageBody: '{"n":1}', MessageAttributes: attributes };
    await withQueue(queue.endpoint, (client) => client.send(new SendMessageCommand(message)));
    const worker = workerOf<SQSEvent>();
    expect(await sourceOf(queue).takeBatch(worker.invoke)).toBe(1);
    expect(worker.events[0]?.Records).toMatchObject([
      {
        messageId: expect.stringMatching(/^[\da-f-]{36}$/),
        body: '{"n":1}',
        attributes: { ApproximateReceiveCount: "1", SentTimestamp: expect.stringMatching(/^\d{13}$/) },
        messageAttributes: { kind: { stringValue: "page" }, bytes: { binaryValue: "AQID" } },
        eventSourceARN: `arn:aws:sqs:${REGION}:000000000000:a-game-push`,
      },
    ]);
    expect(queue.inspect()).toEqual([]);
  });

  it.each([
    ["stays complete when the worker throws", () => Promise.reject(new Error("broken")), true, 3],
    ["stays complete when the worker reports a message that was not in it", failsAll, true, 3],
    ["is removed after any response of a worker that reports no failures", failsAll, false, 0],
  ] as const)("%s", async (_, respond, reportsFailures, left) => {
    await send(queue, ["a", "b", "c"]);
    await sourceOf(queue, 4, reportsFailures).takeBatch(workerOf(respond).invoke);
    expect(queue.inspect().map(({ state }) => state)).toEqual(Array(left).fill("in flight"));
  });

  it("has at most the worker's batch size, and no message is given to two pollers", async () => {
    const bodies = Array.from({ length: 23 }, (_, n) => `message ${n}`);
    await send(queue, bodies);
    const { invoke, events } = workerOf<SQSEvent>();
    const source = sourceOf(queue, 10);
    const poll = async (): Promise<void> => {
      while ((await source.takeBatch(invoke)) > 0);
    };
    await Promise.all([poll(), poll()]);
    const received = bodiesOf(events);
    expect(Math.max(...received.map(({ length }) => length))).toBe(10);
    expect(received.flat().toSorted()).toEqual(bodies.toSorted());
    expect(queue.inspect()).toEqual([]);
  });
});

describe("an invocation", () => {
  let socket: string;
  beforeEach(() => {
    socket = join(tempDirOfTest(), "lambda");
  });

  type Reply = { status?: number; headers?: Record<string, string>; body?: string };
  /** Serves these replies; null breaks the connection, undefined never ends it. @returns the requests so far */
  const serve = async (replyTo: (call: number) => Reply | null | undefined): Promise<string[]> => {
    const requests: string[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const reply = replyTo(requests.push(`${request.url} ${body}`));
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
  const worker = { name: "a-worker", timeoutMs: 2_000, maxWaitMs: 5_000 };
  const { signal } = new AbortController();
  const invoke = (more: Partial<typeof worker> = {}, at: () => string | null = () => socket) =>
    makeInvoker(at, { ...worker, ...more }, signal);

  it("sends the event once, and returns the response or null for an empty one, unless the worker failed", async () => {
    const replies: Reply[] = [
      ...[{ body: '{"m":2}' }, {}, { headers: { "x-amz-function-error": "Unhandled" }, body: "{}" }],
      ...[{ status: 404, body: '{"Message":"Function not found"}' }, { body: "<html>" }],
    ];
    const requests = await serve((call) => replies[call - 1]);
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
    await new Promise((resolve) => setTimeout(resolve, 100));
    // Known, but not listening yet.
    at = socket;
    await new Promise((resolve) => setTimeout(resolve, 100));
    await serve((call) => (call === 1 ? null : { body: `{"call":${call}}` }));
    expect(await response).toEqual({ call: 2 });
  });

  it("fails when it times out, when the service stays away, or when it is aborted", async () => {
    await serve(() => undefined);
    await expect(invoke({ timeoutMs: 100 })({})).rejects.toThrow(/longer than 0.1 s/);
    await expect(invoke({ maxWaitMs: 150 }, () => null)({})).rejects.toThrow(/cannot be reached/);
    const ending = new AbortController();
    const forever = { ...worker, maxWaitMs: Number.POSITIVE_INFINITY };
    const response = makeInvoker(() => null, forever, ending.signal)({});
    ending.abort();
    await expect(response).rejects.toThrow(/cannot be reached/);
  });
});
