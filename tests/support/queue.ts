/** A queue of one's own for a story told in process, and its worker. */
import { randomUUID } from "node:crypto";
import { GetQueueAttributesCommand, PurgeQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Context, SQSEvent } from "aws-lambda";
import * as z from "zod/mini";
import { type LocalQueue, type QueuedMessage, startQueue as startLocal } from "../../scripts/local/queue.ts";
import { openQueueSource } from "../../scripts/local/queueSource.ts";
import { readEventSources } from "../../scripts/local/sources.ts";
import { openCheckpoint, openStreamSource } from "../../scripts/local/streamSource.ts";

const REGION = "local";
/** A delay up to this long is waited for; milliseconds. */
const PATIENCE_MS = 2_000;
/** Work that makes more work than this never ends. */
const MOST_BATCHES = 20_000;

/** What lies on the queue: the message itself, and how it fares. */
export interface Queued extends Omit<QueuedMessage, "body"> {
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

const parsed = ({ body, ...rest }: QueuedMessage): Queued => {
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

/** What a service that answers over HTTP works on after its answers. */
export interface Backlog {
  queue: { url: string; endpoint: string };
  /** The table, and the file where it is kept how far its stream has been read. */
  stream: { endpoint: string; table: string; read: string };
}

const PAUSE_MS = 20;
const LONGEST_MS = 30_000;

const credentials = { accessKeyId: "local", secretAccessKey: "local" };

const withQueue = async <T>({ queue }: Backlog, use: (client: SQSClient) => Promise<T>): Promise<T> => {
  const { endpoint } = queue;
  const client = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false, region: REGION, credentials });
  try {
    return await use(client);
  } finally {
    client.destroy();
  }
};

/** How many records the service has not announced yet. */
const unread = async ({ stream }: Backlog): Promise<number> => {
  const { stream: worker } = readEventSources();
  if (worker === null) return 0;
  // Read from where the service is, which itself does not hear of it.
  const checkpoint = { read: openCheckpoint(stream.read).read, write: async () => {} };
  const source = openStreamSource({ ...stream, region: REGION }, { worker, checkpoint, onLost: () => {} });
  let wanted = 0;
  const count = async (event: unknown): Promise<null> => {
    wanted += Records.parse(event).Records.length;
    return null;
  };
  try {
    while ((await source.takeBatch(count)) > 0);
    return wanted;
  } finally {
    source.close();
  }
};
const Records = z.object({ Records: z.array(z.unknown()) });

/** What still lies on the queue, in words; none when nothing does. */
const lyingOn = (backlog: Backlog): Promise<string> =>
  withQueue(backlog, async (client) => {
    const all = new GetQueueAttributesCommand({ QueueUrl: backlog.queue.url, AttributeNames: ["All"] });
    const { Attributes = {} } = await client.send(all);
    const counts = {
      ready: Attributes.ApproximateNumberOfMessages,
      "in flight": Attributes.ApproximateNumberOfMessagesNotVisible,
      delayed: Attributes.ApproximateNumberOfMessagesDelayed,
    };
    return Object.entries(counts)
      .flatMap(([state, count]) => (count === "0" ? [] : [`${count} ${state} on the queue`]))
      .join(", ");
  });

const until = async (left: () => Promise<string>): Promise<void> => {
  const end = Date.now() + LONGEST_MS;
  for (let what = await left(); what !== ""; what = await left()) {
    if (Date.now() > end) throw new Error(`the service does not come to an end: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
};

const unreadInWords = async (backlog: Backlog): Promise<string> => {
  const records = await unread(backlog);
  return records === 0 ? "" : `${records} records of the stream`;
};

/**
 * Waits until a service has announced all, and has nothing more on its queue.
 * @throws Error after half a minute, with what is left
 */
export const untilWorkedOff = (backlog: Backlog): Promise<void> =>
  // In this order: what is announced is put on the queue.
  until(async () => (await unreadInWords(backlog)) || lyingOn(backlog));

/** Lets a service announce what the last story has left, so that the next one does not hear of it. */
export const untilAnnounced = (backlog: Backlog): Promise<void> => until(() => unreadInWords(backlog));

/** Throws away all that lies on the queue of a service, what has failed there with it. */
export const emptyQueue = (backlog: Backlog): Promise<void> =>
  withQueue(backlog, async (client) => {
    await client.send(new PurgeQueueCommand({ QueueUrl: backlog.queue.url }));
  });
