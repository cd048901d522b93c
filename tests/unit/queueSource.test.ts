/**
 * The local queue, and how its messages are passed to a worker as Lambda does. tests/http/queue.test.ts
 * restarts a service while messages are in every state.
 */
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import type { SQSEvent } from "aws-lambda";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { MINUTE, SECOND } from "../../lib/domain/time.ts";
import { openQueue } from "../../lib/queue/queue.ts";
import { type Backlog, HIDDEN_MS, MAX_RECEIVES, openBacklog } from "../../scripts/local/backlog.ts";
import { makeInvoker } from "../../scripts/local/invocation.ts";
import { sendBatch, startQueue } from "../../scripts/local/queue.ts";
import { takeMessages } from "../../scripts/local/workers.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { tempDirOfTest } from "../support/tempDir.ts";
import { workerOf } from "./localWorkers.ts";

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

  it("refuses what SQS refuses: an empty, long or large batch, and a long delay", async () => {
    const backlog = open();
    const refuse = (count: number, more: object = {}) => {
      const Entries = Array.from({ length: count }, (_, n) => ({ Id: `${n}`, MessageBody: "a", ...more }));
      expect(() => sendBatch(backlog, { Entries })).toThrow();
    };
    for (const count of [0, 11]) refuse(count);
    refuse(1, { DelaySeconds: 901 });
    refuse(10, { MessageBody: "a".repeat(110_000) });
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
  /** Serves these replies; without one a request never ends. @returns the requests so far */
  const serve = async (replies: Reply[]): Promise<string[]> => {
    const requests: string[] = [];
    const server = createServer(async (request, response) => {
      let body = "";
      for await (const chunk of request) body += chunk;
      const reply = replies[requests.push(`${request.url} ${body}`) - 1];
      if (reply !== undefined) response.writeHead(reply.status ?? 200, reply.headers).end(reply.body);
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
  const invoke = (more: Partial<typeof worker> = {}) =>
    makeInvoker(() => socket, { ...worker, ...more }, signal);

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

  it("fails when it times out, or when it is aborted", async () => {
    await serve([]);
    await expect(invoke({ timeoutMs: 100 })({})).rejects.toThrow(/longer than 0.1 s/);
    const ending = new AbortController();
    const response = makeInvoker(() => null, worker, ending.signal)({});
    ending.abort();
    await expect(response).rejects.toThrow(/cannot be reached/);
  });
});
