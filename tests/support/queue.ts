/** The queue of tests in process, with its worker; and the backlog of a service over HTTP. */
import type { Context, SQSEvent } from "aws-lambda";
import { vi } from "vitest";
import { MINUTE, SECOND } from "../../lib/domain/time.ts";
import { encodeMessage } from "../../lib/queue/encodeMessage.ts";
import { decodeMessage } from "../../lib/queue/messages.ts";
import { MAX_DELAY_SECONDS, type Queue } from "../../lib/queue/queue.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { type Backlog, openBacklog } from "../../scripts/local/backlog.ts";
import { sendBatch } from "../../scripts/local/queue.ts";
import { readEventSources } from "../../scripts/local/sources.ts";
import { openStreamSource } from "../../scripts/local/streamSource.ts";
import { takeMessages } from "../../scripts/local/workers.ts";

/** As for the worker in its `functions.yml`. */
const BATCH_SIZE = 4;

/** The local queue in memory. */
export const memoryQueue = () => {
  const backlog = openBacklog(":memory:");
  const send: Queue["send"] = async (messages) => {
    for (const batch of chunk(messages, 10)) {
      const Entries = batch.map(({ message, delay = 0 }, n) => {
        const DelaySeconds = Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil(delay / SECOND)));
        return { Id: `${n}`, MessageBody: encodeMessage(message), DelaySeconds };
      });
      sendBatch(backlog, { Entries });
    }
  };
  return {
    queue: { send },
    // biome-ignore lint/suspicious/noExplicitAny: tests assert what they read
    inspect: (): { message: any; due: number }[] =>
      backlog.inspect().map(({ body, due }) => ({ message: decodeMessage(body), due })),
    /**
     * Passes the messages to a worker, two batches concurrently, until nothing is due.
     * @param hurry whether delayed and failed messages are due immediately, until they have been received five times
     */
    async work(
      handler: (event: SQSEvent, context: Context) => unknown,
      context: () => Context,
      hurry: boolean,
    ): Promise<void> {
      const take = () => takeMessages(backlog, BATCH_SIZE, async (event) => handler(event, context()));
      let taken: number[];
      do {
        if (hurry) backlog.hurry();
        taken = await Promise.all([take(), take()]);
      } while (taken.some((count) => count > 0));
    },
  };
};

/** What a service over HTTP processes after its responses: the file of its backlog, and its table. */
export interface ServiceBacklog {
  file: string;
  endpoint: string;
  table: string;
}

/** Opens the file of a service's backlog for as long as it is used. */
export const withBacklog = async <T>(file: string, use: (backlog: Backlog) => T | Promise<T>): Promise<T> => {
  const backlog = openBacklog(file);
  try {
    return await use(backlog);
  } finally {
    backlog.close();
  }
};

/** The states of all messages of a service, in the order of the alphabet. */
export const messageStates = (file: string): Promise<string[]> =>
  withBacklog(file, (backlog) =>
    backlog
      .inspect()
      .map(({ state }) => state)
      .toSorted(),
  );

/** How many records of its stream a service has not read yet, without changing its position. */
const unread = ({ file, ...place }: ServiceBacklog): Promise<number> =>
  withBacklog(file, async ({ positions }) => {
    const { stream: worker } = readEventSources();
    if (worker === null) return 0;
    const own = new Map<string, string>();
    const get = (shard: string) => own.get(shard) ?? positions.get(shard);
    const source = openStreamSource(
      { ...place, region: "local" },
      { worker, positions: { get, set: (shard, sequence) => own.set(shard, sequence) } },
    );
    let count = 0;
    await source.read(async ({ Records }) => {
      count += Records.length;
    });
    source.close();
    return count;
  });

const PATIENCE = { timeout: 2 * MINUTE, interval: 20 };

/** Waits until a service has read its stream. */
export const untilAnnounced = async (backlog: ServiceBacklog): Promise<void> => {
  await vi.waitUntil(async () => (await unread(backlog)) === 0, PATIENCE);
};

/** Waits until a service has read its stream, whose worker puts messages on the queue, and emptied its queue. */
export const untilWorkedOff = async (backlog: ServiceBacklog): Promise<void> => {
  const isDone = async () =>
    (await unread(backlog)) === 0 && (await messageStates(backlog.file)).length === 0;
  await vi.waitUntil(isDone, PATIENCE);
};
