/** The queue of tests in process, with its worker; and the backlog of a service over HTTP. */
import { GetQueueAttributesCommand, PurgeQueueCommand, SQSClient } from "@aws-sdk/client-sqs";
import type { Context, SQSEvent } from "aws-lambda";
import { vi } from "vitest";
import * as z from "zod/mini";
import { MINUTE, SECOND } from "../../lib/domain/time.ts";
import { encodeMessage } from "../../lib/queue/encodeMessage.ts";
import { decodeMessage } from "../../lib/queue/messages.ts";
import { MAX_DELAY_SECONDS, type Queue } from "../../lib/queue/queue.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { parseFailedIds } from "../../scripts/local/invocation.ts";
import { readEventSources } from "../../scripts/local/sources.ts";
import { openCheckpoint, openStreamSource } from "../../scripts/local/streamSource.ts";
import { sqsEvent } from "./sqsEvent.ts";

/** As in `resources/queue.yml` and for the worker in its `functions.yml`. */
const [INVISIBLE_MS, MAX_RECEIVES, BATCH_SIZE] = [6 * MINUTE, 5, 4];

/**
 * A message and a batch of ten have the same limit.
 * https://docs.aws.amazon.com/AWSSimpleQueueService/latest/APIReference/API_SendMessageBatch.html
 */
const MAX_BATCH_BYTES = 1_048_576;

interface Stored {
  body: string;
  /** When it can be received, in milliseconds since 1970. */
  due: number;
  receives: number;
}

/** A queue in memory that treats messages as SQS and Lambda do. That of `npm start` is tested in tests/unit/. */
export const memoryQueue = () => {
  const stored = new Set<Stored>();
  const waiting = (): Stored[] => [...stored].filter(({ receives }) => receives < MAX_RECEIVES);
  const ready = (): Stored[] => waiting().filter(({ due }) => due <= Date.now());

  const takeBatch = async (handler: (event: SQSEvent, context: Context) => unknown, context: Context) => {
    const batch = ready().slice(0, BATCH_SIZE);
    for (const one of batch) {
      one.due = Date.now() + INVISIBLE_MS;
      one.receives += 1;
    }
    if (batch.length === 0) return;
    const event = sqsEvent(...batch.map(({ body }) => body));
    const ids = event.Records.map(({ messageId }) => messageId);
    const failed = await Promise.resolve(handler(event, context)).then(
      (response) => parseFailedIds(response, ids),
      () => new Set(ids),
    );
    for (const [n, one] of batch.entries()) if (!failed.has(ids[n] ?? "")) stored.delete(one);
  };

  const isDue = (hurry: boolean): boolean => {
    if (hurry) for (const one of waiting()) one.due = 0;
    return ready().length > 0;
  };

  const send: Queue["send"] = async (messages) => {
    for (const batch of chunk(messages, 10)) {
      const bodies = batch.map(({ message }) => encodeMessage(message));
      const bytes = bodies.reduce((sum, body) => sum + Buffer.byteLength(body), 0);
      if (bytes > MAX_BATCH_BYTES) throw new Error(`BatchRequestTooLong: ${bytes} bytes`);
      for (const [n, { delay = 0 }] of batch.entries()) {
        const due = Date.now() + Math.min(delay, MAX_DELAY_SECONDS * SECOND);
        stored.add({ body: bodies[n] ?? "", due, receives: 0 });
      }
    }
  };
  return {
    queue: { send },
    // biome-ignore lint/suspicious/noExplicitAny: tests assert what they read
    inspect: (): { message: any; due: number }[] =>
      [...stored].map(({ body, due }) => ({ message: decodeMessage(body), due })),
    /**
     * Passes the messages to a worker, two batches concurrently, until nothing is due.
     * @param hurry whether delayed and failed messages are due immediately, until they have been received five times
     */
    async work(handler: Parameters<typeof takeBatch>[0], context: () => Context, hurry: boolean) {
      while (isDue(hurry)) await Promise.all([1, 2].map(() => takeBatch(handler, context())));
    },
  };
};

/** The queue and the stream that a service over HTTP processes after its responses. */
export interface Backlog {
  queue: { url: string; endpoint: string };
  /** The table, and the file that stores how far its stream has been read. */
  stream: { endpoint: string; table: string; read: string };
}

const region = "local";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

/** Opens a client of a local queue for as long as it is used. */
export const withQueue = async <T>(endpoint: string, use: (client: SQSClient) => Promise<T>): Promise<T> => {
  const client = new SQSClient({ endpoint, useQueueUrlAsEndpoint: false, region, credentials });
  try {
    return await use(client);
  } finally {
    client.destroy();
  }
};

/** The number of messages that are ready, in flight (or failed), and delayed. */
export const messageCounts = ({ url, endpoint }: Backlog["queue"]): Promise<(string | undefined)[]> =>
  withQueue(endpoint, async (client) => {
    const all = new GetQueueAttributesCommand({ QueueUrl: url, AttributeNames: ["All"] });
    const { Attributes = {} } = await client.send(all);
    return (["", "NotVisible", "Delayed"] as const).map(
      (state) => Attributes[`ApproximateNumberOfMessages${state}`],
    );
  });

const Records = z.object({ Records: z.array(z.unknown()) });

/** How many records of its stream a service has not read yet, without changing its position. */
const unread = async ({ stream }: Backlog): Promise<number> => {
  const { stream: worker } = readEventSources();
  if (worker === null) return 0;
  const checkpoint = { read: openCheckpoint(stream.read).read, write: async () => {} };
  const source = openStreamSource({ ...stream, region }, { worker, checkpoint, onLost: () => {} });
  let count = 0;
  const invoke = async (event: unknown): Promise<null> => {
    count += Records.parse(event).Records.length;
    return null;
  };
  while ((await source.takeBatch(invoke)) > 0);
  source.close();
  return count;
};

const PATIENCE = { timeout: 2 * MINUTE, interval: 20 };

/** Waits until a service has read its stream. */
export const untilAnnounced = async (backlog: Backlog): Promise<void> => {
  await vi.waitUntil(async () => (await unread(backlog)) === 0, PATIENCE);
};

/** Waits until a service has read its stream, whose worker puts messages on the queue, and emptied its queue. */
export const untilWorkedOff = async (backlog: Backlog): Promise<void> => {
  const counts = async () => [await unread(backlog), ...(await messageCounts(backlog.queue))];
  await vi.waitUntil(async () => (await counts()).every((count) => Number(count) === 0), PATIENCE);
};

/** Removes all messages from the queue of a service, also failed ones. */
export const emptyQueue = ({ queue: { url, endpoint } }: Backlog): Promise<void> =>
  withQueue(endpoint, async (client) => {
    await client.send(new PurgeQueueCommand({ QueueUrl: url }));
  });
