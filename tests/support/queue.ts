/** A queue for tests in process, with its worker; and the backlog of a service over HTTP. */
import { randomUUID } from "node:crypto";
import { GetQueueAttributesCommand, PurgeQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Context, SQSEvent } from "aws-lambda";
import * as z from "zod/mini";
import { decodeMessage } from "../../lib/queue/messages.ts";
import { type LocalQueue, type QueuedMessage, startQueue as startLocal } from "../../scripts/local/queue.ts";
import { openQueueSource } from "../../scripts/local/queueSource.ts";
import { readEventSources } from "../../scripts/local/sources.ts";
import { openCheckpoint, openStreamSource } from "../../scripts/local/streamSource.ts";

const REGION = "local";
/** The longest delay that is waited for. */
const MAX_WAIT_MS = 2_000;
/** Work that makes more work than this never ends. */
const MAX_BATCHES = 20_000;

/** A message on the queue, and its state. */
export interface Queued extends Omit<QueuedMessage, "body"> {
  // biome-ignore lint/suspicious/noExplicitAny: tests assert what they read
  message: any;
}

export interface WorkOptions {
  /**
   * Whether delayed and failed messages are due immediately, until they are dead-lettered. Otherwise delays of up to two
   * seconds are waited for, and what is due later stays.
   */
  hurry?: boolean;
}

/** A worker of the queue, as Lambda calls it. */
type Handler = (event: SQSEvent, context: Context) => Promise<unknown>;

export interface TestQueue {
  url: string;
  endpoint: string;
  inspect(): Queued[];
  /** Passes the messages to a worker, two batches concurrently, until nothing is due. */
  pump(handler: Handler, context: () => Context, options?: WorkOptions): Promise<void>;
  stop(): Promise<void>;
}

const parsed = ({ body, ...rest }: QueuedMessage): Queued => {
  try {
    return { ...rest, message: decodeMessage(body) };
  } catch {
    return { ...rest, message: body };
  }
};

const earliest = (local: LocalQueue): number =>
  Math.min(...local.inspect().flatMap(({ state, due }) => (state === "delayed" ? [due] : [])));

/**
 * Starts a queue, empty and in memory.
 * @param options.visibility how long a failed message stays invisible, in seconds; as deployed by default
 */
export const startQueue = async (options: { visibility?: number } = {}): Promise<TestQueue> => {
  const local = await startLocal({ table: `test-${randomUUID()}`, region: REGION, ...options });
  const { url, endpoint } = local;
  const source = openQueueSource({ url, endpoint, region: REGION, batchSize: 4, reportsFailures: true });

  /** Whether a message is due, now or after a short wait. */
  const isDue = async (hurry: boolean): Promise<boolean> => {
    if (local.inspect().some(({ state }) => state === "ready")) return true;
    if (hurry) {
      local.hurry();
      return local.inspect().some(({ state }) => state !== "dead");
    }
    const wait = earliest(local) - Date.now();
    if (wait > MAX_WAIT_MS) return false;
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, wait)));
    return true;
  };

  return {
    url,
    endpoint,
    inspect: () => local.inspect().map(parsed),
    async pump(handler, context, { hurry = false } = {}) {
      // Events and responses are JSON.
      const invoke = async (event: unknown): Promise<unknown> => {
        const answer = await handler(JSON.parse(JSON.stringify(event)), context());
        return answer === undefined ? undefined : JSON.parse(JSON.stringify(answer));
      };
      for (let batches = 0; await isDue(hurry); batches += 2) {
        if (batches > MAX_BATCHES) throw new Error("the queue is never empty");
        await Promise.all([source.takeBatch(invoke), source.takeBatch(invoke)]);
      }
    },
    async stop() {
      source.close();
      await local.stop();
    },
  };
};

/** What a service over HTTP works on after its responses. */
export interface Backlog {
  queue: { url: string; endpoint: string };
  /** The table, and the file that stores how far its stream has been read. */
  stream: { endpoint: string; table: string; read: string };
}

const PAUSE_MS = 20;
const MAX_MS = 120_000;

const credentials = { accessKeyId: "local", secretAccessKey: "local" };

/** Opens a client of a local queue for as long as it is used. */
export const withQueue = async <T>(endpoint: string, use: (client: SQSClient) => Promise<T>): Promise<T> => {
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
  // Read from where the service is, without changing its position.
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

/** The number of messages that are ready, in flight (or failed), and delayed. */
export const messageCounts = ({ url, endpoint }: Backlog["queue"]): Promise<(string | undefined)[]> =>
  withQueue(endpoint, async (client) => {
    const all = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["All"] });
    const { Attributes = {} } = await client.send(all);
    return (["", "NotVisible", "Delayed"] as const).map(
      (state) => Attributes[`ApproximateNumberOfMessages${state}`],
    );
  });

/** Describes the messages on the queue; empty when there are none. */
const describeQueue = async ({ queue }: Backlog): Promise<string> => {
  const counts = await messageCounts(queue);
  const isEmpty = counts.every((count) => count === "0");
  return isEmpty ? "" : `${counts.join(", ")} messages ready, in flight and delayed`;
};

const until = async (left: () => Promise<string>): Promise<void> => {
  const end = Date.now() + MAX_MS;
  for (let what = await left(); what !== ""; what = await left()) {
    if (Date.now() > end) throw new Error(`the service does not finish: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
};

const describeUnread = async (backlog: Backlog): Promise<string> => {
  const records = await unread(backlog);
  return records === 0 ? "" : `${records} records of the stream`;
};

/**
 * Waits until a service has read its stream and emptied its queue.
 * @throws Error after two minutes, with what is left
 */
export const untilWorkedOff = (backlog: Backlog): Promise<void> =>
  // In this order: the stream's worker puts messages on the queue.
  until(async () => (await describeUnread(backlog)) || describeQueue(backlog));

/** Waits until a service has read the stream of the last test. */
export const untilAnnounced = (backlog: Backlog): Promise<void> => until(() => describeUnread(backlog));

/** Removes all messages from the queue of a service, also failed ones. */
export const emptyQueue = ({ queue: { url, endpoint } }: Backlog): Promise<void> =>
  withQueue(endpoint, async (client) => {
    await client.send(new PurgeQueueCommand({ QueueUrl: url }));
  });
