/** A queue of one's own for a story told in process, and its worker. */
import { randomUUID } from "node:crypto";
import { GetQueueAttributesCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Context, SQSEvent } from "aws-lambda";
import { type LocalQueue, type Lying, startQueue as startLocal } from "../../scripts/local/queue.ts";
import { openQueueSource } from "../../scripts/local/queueSource.ts";
import { openCheckpoint, openStreamSource } from "../../scripts/local/streamSource.ts";

const REGION = "local";
/** A delay up to this long is waited for; milliseconds. */
const PATIENCE_MS = 2_000;
/** Work that makes more work than this never ends. */
const MOST_BATCHES = 20_000;

/** What lies on the queue: the message itself, and how it fares. */
export interface Queued extends Omit<Lying, "body"> {
  // biome-ignore lint/suspicious/noExplicitAny: a story asserts what it reads
  message: any;
}

export interface WorkOptions {
  /**
   * Whether time goes by in a moment: what is held back is due at once, and so is what has failed, until it is laid
   * aside. Otherwise delays of up to two seconds are waited for, and what is due later stays.
   */
  hurry?: boolean;
}

/** A worker of the queue, as Lambda calls it. */
type Handler = (event: SQSEvent, context: Context) => Promise<unknown>;

export interface TestQueue {
  url: string;
  endpoint: string;
  inspect(): Queued[];
  /** Hands what lies there to a worker, two batches at once, until nothing is due. */
  pump(handler: Handler, context: () => Context, options?: WorkOptions): Promise<void>;
  stop(): Promise<void>;
}

const parsed = ({ body, ...rest }: Lying): Queued => {
  try {
    return { ...rest, message: JSON.parse(body) };
  } catch {
    return { ...rest, message: body };
  }
};

const soonest = (local: LocalQueue): number =>
  Math.min(...local.inspect().flatMap(({ state, due }) => (state === "delayed" ? [due] : [])));

/**
 * Starts a queue, empty and in memory.
 * @param options.visibility how long a message that has failed stays away, in seconds; as deployed unless said
 */
export const startQueue = async (
  options: { visibility?: number; batchSize?: number } = {},
): Promise<TestQueue> => {
  const { batchSize = 4, ...rest } = options;
  const local = await startLocal({ table: `test-${randomUUID()}`, region: REGION, ...rest });
  const { url, endpoint } = local;
  const source = openQueueSource({ url, endpoint, region: REGION, batchSize, reportsFailures: true });

  /** Whether something is due, now or after a wait that is worth it. */
  const isDue = async (hurry: boolean): Promise<boolean> => {
    if (local.inspect().some(({ state }) => state === "ready")) return true;
    if (hurry) {
      local.hurry();
      return local.inspect().some(({ state }) => state !== "dead");
    }
    const wait = soonest(local) - Date.now();
    if (wait > PATIENCE_MS) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
    return true;
  };

  return {
    url,
    endpoint,
    inspect: () => local.inspect().map(parsed),
    async pump(handler, context, { hurry = false } = {}) {
      // An event arrives as JSON, and so does the answer.
      const invoke = async (event: unknown): Promise<unknown> => {
        const answer = await handler(JSON.parse(JSON.stringify(event)), context());
        return answer === undefined ? undefined : JSON.parse(JSON.stringify(answer));
      };
      for (let batches = 0; await isDue(hurry); batches += 2) {
        if (batches > MOST_BATCHES) throw new Error("the queue is never empty");
        await Promise.all([source.takeBatch(invoke), source.takeBatch(invoke)]);
      }
    },
    async stop() {
      source.close();
      await local.stop();
    },
  };
};

interface Backlog {
  url: string;
  endpoint: string;
  /** The table, and the file where it is kept how far its stream has been read. */
  stream: { endpoint: string; table: string; read: string };
}

const PAUSE_MS = 20;

/**
 * Waits until a service has read its table's stream, and has nothing more on its queue.
 * @throws Error after half a minute, with what is left
 */
export const untilWorkedOff = async ({ url, endpoint, stream }: Backlog): Promise<void> => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false, region: REGION, credentials });
  const until = Date.now() + 30_000;
  const unread = async (): Promise<number> => {
    const worker = { batchSize: 1_000, reportsFailures: false, bisects: false, mostRetries: 0, patterns: [] };
    // Read from where the service is, which itself does not hear of it.
    const { read } = openCheckpoint(stream.read);
    const checkpoint = { read, write: async () => {} };
    const place = { ...stream, region: REGION };
    const source = openStreamSource(place, { worker, checkpoint, onLost: () => {} });
    try {
      return await source.takeBatch(async () => null);
    } finally {
      source.close();
    }
  };
  const waiting = async (): Promise<string> => {
    const records = await unread();
    const { Attributes = {} } = await client.send(
      new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["All"] }),
    );
    const [ready, flying, delayed] = [
      Attributes.ApproximateNumberOfMessages,
      Attributes.ApproximateNumberOfMessagesNotVisible,
      Attributes.ApproximateNumberOfMessagesDelayed,
    ];
    if (records === 0 && [ready, flying, delayed].every((count) => count === "0")) return "";
    return `${records} records of the stream, and on the queue ${ready} ready, ${flying} in flight, ${delayed} delayed`;
  };
  try {
    for (let left = await waiting(); left !== ""; left = await waiting()) {
      if (Date.now() > until) throw new Error(`the service does not come to an end: ${left}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  } finally {
    client.destroy();
  }
};
