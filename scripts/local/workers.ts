/** The pollers of a local service, which invoke its workers for the queue and the stream, as Lambda does. */
import { sleep } from "../cli/sleep.ts";
import { messageOf } from "../cli/userError.ts";
import { makeInvoker, type SocketPath } from "./invocation.ts";
import { openQueueSource } from "./queueSource.ts";
import { functionName } from "./service.ts";
import type { QueueWorker, Sources, StreamWorker } from "./sources.ts";
import { type Checkpoint, openStreamSource } from "./streamSource.ts";

/** Concurrent invocations of a queue worker. */
const QUEUE_CONCURRENCY = 2;
/** The duration of a long poll of the queue. */
const WAIT_SECONDS = 5;
const STREAM_PAUSE_MS = 250;
const ERROR_PAUSE_MS = 100;
const MAX_ERROR_PAUSE_MS = 5_000;
const SECOND_MS = 1_000;
/** How long to retry an unreachable service. It is below the visibility timeout, after which a message is received again. */
const QUEUE_WAIT_MS = 240_000;
/** How long `stop` waits for running invocations. */
const GRACE_MS = 1_500;
const WAKE_INTERVAL_MS = 50;

export interface WorkersOptions {
  sources: Sources;
  queue: { url: string; endpoint: string | undefined };
  stream: { endpoint: string; table: string; checkpoint: Checkpoint };
  region: string;
  at: SocketPath;
  /** Called with the position in a shard up to which everything is processed. */
  onRead: (shard: string, position: string) => void;
  /** Called with warnings for the user. */
  warn: (line: string) => void;
  /** Ends long polls of the queue. */
  wake: () => void;
}

type SourceName = "queue" | "table's stream";

export interface Workers {
  /** Stops polling, and waits a short time for running invocations. */
  stop(): Promise<void>;
}

/** Starts the pollers. @throws UserError if an event source is not supported */
export const startWorkers = (options: WorkersOptions): Workers => {
  const { sources, queue, stream, region, at, onRead, warn, wake } = options;
  const ending = new AbortController();
  const aborting = new AbortController();
  const opened: { close(): void }[] = [];
  const unreachable = new Set<SourceName>();

  const pause = (milliseconds: number): Promise<void> => sleep(milliseconds, ending.signal);

  /** Polls until stopped. Errors are retried, and reported once for all loops of a source. */
  const loop = async (what: SourceName, poll: () => Promise<number>, idle: number): Promise<void> => {
    let errors = 0;
    while (!ending.signal.aborted) {
      try {
        const taken = await poll();
        errors = 0;
        unreachable.delete(what);
        if (taken === 0 && idle > 0) await pause(idle);
      } catch (error) {
        if (ending.signal.aborted) return;
        errors += 1;
        // A single error may be transient, so it is not reported.
        if (errors > 1 && !unreachable.has(what)) {
          unreachable.add(what);
          warn(`The ${what} cannot be reached (${messageOf(error)}). Retrying.`);
        }
        await pause(Math.min(MAX_ERROR_PAUSE_MS, ERROR_PAUSE_MS * 2 ** (errors - 1)));
      }
    }
  };

  const invokeOf = ({ name, timeout }: QueueWorker, maxWaitMs: number): ReturnType<typeof makeInvoker> =>
    makeInvoker(at, { name: functionName(name), timeoutMs: timeout * SECOND_MS, maxWaitMs }, aborting.signal);

  const queueLoops = (worker: QueueWorker): Promise<void>[] => {
    const source = openQueueSource({ ...queue, ...worker, region });
    opened.push(source);
    const invoke = invokeOf(worker, QUEUE_WAIT_MS);
    return Array.from({ length: QUEUE_CONCURRENCY }, () =>
      loop("queue", () => source.takeBatch(invoke, WAIT_SECONDS), 0),
    );
  };

  const streamLoop = (worker: StreamWorker): Promise<void> => {
    const { checkpoint, ...place } = stream;
    const source = openStreamSource(
      { ...place, region },
      {
        worker,
        checkpoint,
        onRead,
        onLost: (first, last, fault) =>
          warn(
            `The records ${first} to ${last} of the table's stream were skipped by ${worker.name}: ${fault}`,
          ),
      },
    );
    opened.push(source);
    const invoke = invokeOf(worker, Number.POSITIVE_INFINITY);
    return loop("table's stream", () => source.takeBatch(invoke, ending.signal), STREAM_PAUSE_MS);
  };

  const loops = [
    ...sources.queue.flatMap(queueLoops),
    ...(sources.stream === null ? [] : [streamLoop(sources.stream)]),
  ];
  let stopping: Promise<void> | undefined;

  const stop = async (): Promise<void> => {
    ending.abort();
    wake();
    // A poll that is being sent during the first `wake` starts to wait after it, so `wake` is repeated.
    const waking = setInterval(wake, WAKE_INTERVAL_MS);
    const done = Promise.all(loops);
    await Promise.race([done, sleep(GRACE_MS)]);
    aborting.abort();
    // A queue other than the local one may not respond.
    await Promise.race([done, sleep(GRACE_MS)]);
    clearInterval(waking);
    for (const source of opened) source.close();
  };
  return {
    stop() {
      stopping ??= stop();
      return stopping;
    },
  };
};
