/** The pollers of a local service, which pass messages of the queue and records of the stream to its workers. */
import type { SQSEvent } from "aws-lambda";
import { sleep } from "../cli/sleep.ts";
import { messageOf } from "../cli/userError.ts";
import type { Backlog, Message } from "./backlog.ts";
import { type Invoke, makeInvoker, parseFailedIds, type SocketPath } from "./invocation.ts";
import { functionName } from "./service.ts";
import { REGION } from "./settings.ts";
import type { Sources, Worker } from "./sources.ts";
import type { StreamRecords } from "./streamRecords.ts";
import { openStreamSource, type StreamPlace } from "./streamSource.ts";

/** Concurrent invocations of a queue worker. */
const QUEUE_CONCURRENCY = 2;
const PAUSE_MS = 100;
const MAX_PAUSE_MS = 5_000;
const SECOND_MS = 1_000;
/** How long `stop` waits for running invocations. */
const GRACE_MS = 1_500;

const recordOf = ({ id, body, sent, receives }: Message): SQSEvent["Records"][number] => ({
  messageId: id,
  receiptHandle: `${id} ${receives}`,
  body,
  attributes: {
    ApproximateReceiveCount: `${receives}`,
    SentTimestamp: `${sent}`,
    SenderId: "local",
    ApproximateFirstReceiveTimestamp: `${sent}`,
  },
  messageAttributes: {},
  md5OfBody: "",
  eventSource: "aws:sqs",
  eventSourceARN: "arn:aws:sqs:local:000000000000:local",
  awsRegion: REGION,
});

/**
 * Passes a batch of messages to a worker, and removes those that did not fail. The others are due again after their
 * visibility timeout.
 * @returns the number of messages
 */
export const takeMessages = async (
  backlog: Backlog,
  batchSize: number,
  invoke: (event: SQSEvent) => Promise<unknown>,
): Promise<number> => {
  const taken = backlog.take(batchSize);
  if (taken.length === 0) return 0;
  const ids = taken.map(({ id }) => id);
  const failed = await invoke({ Records: taken.map(recordOf) }).then(
    (answer) => parseFailedIds(answer, ids),
    () => new Set(ids),
  );
  backlog.remove(taken.filter(({ id }) => !failed.has(id)));
  return taken.length;
};

export interface WorkersOptions {
  sources: Sources;
  backlog: Backlog;
  stream: StreamPlace;
  at: SocketPath;
  /** The stream's records in the embedded engine; null for another engine. */
  records: StreamRecords | null;
  /** Called with warnings for the user. */
  warn: (line: string) => void;
}

export interface Workers {
  /** Stops polling, and waits a short time for running invocations; idempotent. */
  stop(): Promise<void>;
}

/** Starts the pollers. */
export const startWorkers = ({ sources, backlog, stream, at, records, warn }: WorkersOptions): Workers => {
  const ending = new AbortController();
  const aborting = new AbortController();

  /** Polls until stopped. Errors are retried; a single one may be transient, so only the second is reported. */
  const loop = async (what: string, poll: () => Promise<number>): Promise<void> => {
    let errors = 0;
    while (!ending.signal.aborted) {
      try {
        if ((await poll()) === 0) await sleep(PAUSE_MS, ending.signal);
        errors = 0;
      } catch (error) {
        if (ending.signal.aborted) return;
        errors += 1;
        if (errors === 2) warn(`The ${what} cannot be read (${messageOf(error)}). Retrying.`);
        await sleep(Math.min(MAX_PAUSE_MS, PAUSE_MS * 2 ** (errors - 1)), ending.signal);
      }
    }
  };

  const invokeOf = ({ name, timeout }: Worker): Invoke =>
    makeInvoker(at, { name: functionName(name), timeoutMs: timeout * SECOND_MS }, aborting.signal);

  const loops = sources.queue.flatMap((worker) =>
    Array.from({ length: QUEUE_CONCURRENCY }, () =>
      loop("queue", () => takeMessages(backlog, worker.batchSize, invokeOf(worker))),
    ),
  );
  const { stream: reader } = sources;
  const source =
    reader && openStreamSource(stream, { worker: reader, positions: backlog.positions, records });
  if (reader !== null && source !== null) {
    loops.push(loop("table's stream", () => source.read(invokeOf(reader), ending.signal)));
  }

  const stop = async (): Promise<void> => {
    ending.abort();
    const done = Promise.all(loops);
    await Promise.race([done, sleep(GRACE_MS)]);
    aborting.abort();
    await done;
    source?.close();
  };
  let stopping: Promise<void> | undefined;
  return {
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
};
