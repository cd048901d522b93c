/** The pollers of a local service: they invoke its workers for the queue and for the table's stream, as Lambda does. */

import { sleep } from "../cli/sleep.ts";
import { messageOf } from "../cli/userError.ts";
import { makeInvoker, type SocketPath } from "./invocation.ts";
import { openQueueSource } from "./queueSource.ts";
import { functionName } from "./service.ts";
import type { QueueWorker, Sources, StreamWorker } from "./sources.ts";
import { type Checkpoint, openStreamSource } from "./streamSource.ts";

/** Invocations of a queue's worker at once. */
const AT_ONCE = 2;
/** What one question to the queue waits for a message. */
const WAIT_SECONDS = 5;
const STREAM_PAUSE_MS = 250;
const FAULT_PAUSE_MS = 100;
const LONGEST_FAULT_PAUSE_MS = 5_000;
const SECOND_MS = 1_000;
/** Within a message's visibility timeout, after which it is received again anyway. */
const QUEUE_PATIENCE_MS = 240_000;
/** What the work that is going on may still take when all ends. */
const GRACE_MS = 1_500;
const WAKING_MS = 50;

export interface WorkersOptions {
  sources: Sources;
  queue: { url: string; endpoint: string | undefined };
  stream: { endpoint: string; table: string; checkpoint: Checkpoint };
  region: string;
  at: SocketPath;
  /** Hears up to where a shard of the stream has been worked on. */
  onRead: (shard: string, position: string) => void;
  /** What the user should know, one line each. */
  warn: (line: string) => void;
  /** Answers at once whoever waits for a message. */
  wake: () => void;
}

type What = "queue" | "table's stream";

export interface Workers {
  /** Takes nothing more, and lets what is being worked on come to its end, but not for long. */
  stop(): Promise<void>;
}

/** Starts the pollers. @throws UserError when an event source asks for what is not done here */
export const startWorkers = (options: WorkersOptions): Workers => {
  const { sources, queue, stream, region, at, onRead, warn, wake } = options;
  const ending = new AbortController();
  const givingUp = new AbortController();
  const opened: { close(): void }[] = [];
  const away = new Set<What>();

  const pause = (milliseconds: number): Promise<void> => sleep(milliseconds, ending.signal);

  /** Takes batch after batch; a source that does not answer is asked again, and told of once for all its loops. */
  const loop = async (what: What, take: () => Promise<number>, idle: number): Promise<void> => {
    let faults = 0;
    while (!ending.signal.aborted) {
      try {
        const taken = await take();
        faults = 0;
        away.delete(what);
        if (taken === 0 && idle > 0) await pause(idle);
      } catch (error) {
        if (ending.signal.aborted) return;
        faults += 1;
        // The first may be an accident.
        if (faults > 1 && !away.has(what)) {
          away.add(what);
          warn(`The ${what} does not answer (${messageOf(error)}): trying on.`);
        }
        await pause(Math.min(LONGEST_FAULT_PAUSE_MS, FAULT_PAUSE_MS * 2 ** (faults - 1)));
      }
    }
  };

  const invokeOf = ({ name, timeout }: QueueWorker, patience: number): ReturnType<typeof makeInvoker> =>
    makeInvoker(at, { name: functionName(name), timeout: timeout * SECOND_MS, patience }, givingUp.signal);

  const queueLoops = (worker: QueueWorker): Promise<void>[] => {
    const source = openQueueSource({ ...queue, ...worker, region });
    opened.push(source);
    const invoke = invokeOf(worker, QUEUE_PATIENCE_MS);
    return Array.from({ length: AT_ONCE }, () =>
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
            `The records ${first} to ${last} of the table's stream are passed over by ${worker.name}: ${fault}`,
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
    // A question that was on its way then has begun to wait since.
    const waking = setInterval(wake, WAKING_MS);
    const done = Promise.all(loops);
    await Promise.race([done, sleep(GRACE_MS)]);
    givingUp.abort();
    // A queue elsewhere may not answer at all.
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
