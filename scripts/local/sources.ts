/** What invokes the workers: the event sources of `functions.yml`, as the framework deploys them. */
import * as z from "zod/mini";
import { UserError } from "../cli/userError.ts";
import { defaultSettings, functionFiles } from "../project/functions.ts";

const reports = z.optional(z.literal("ReportBatchItemFailures"));

// Strict: what is deployed and not done here would mislead.
const Queue = z.strictObject({
  arn: z.literal("Queue.Arn"),
  batchSize: z.int(),
  // There are two at once here.
  maximumConcurrency: z.optional(z.unknown()),
  functionResponseType: reports,
});

const Stream = z.strictObject({
  type: z.literal("dynamodb"),
  arn: z.literal("Table.StreamArn"),
  batchSize: z.int(),
  startingPosition: z.literal("TRIM_HORIZON"),
  functionResponseType: reports,
  // A service on one's own machine does not wait for so long.
  maximumRecordAgeInSeconds: z.optional(z.int()),
  bisectBatchOnFunctionError: z._default(z.boolean(), false),
  // Until the records are a day old, where nothing is said.
  maximumRetryAttempts: z._default(z.int(), Number.POSITIVE_INFINITY),
  // Its log line tells of it here.
  destinations: z.optional(z.unknown()),
  filterPatterns: z._default(z.array(z.record(z.string(), z.unknown())), []),
});

const Functions = z.record(
  z.string(),
  z.looseObject({
    timeout: z.optional(z.int()),
    events: z.array(z.looseObject({ sqs: z.optional(Queue), stream: z.optional(Stream) })),
  }),
);

interface Worker {
  /** What `functions.yml` calls it. */
  name: string;
  /** What an invocation may take, in seconds. */
  timeout: number;
  batchSize: number;
  /** Whether it reports what of a batch has failed; otherwise its answer says nothing. */
  reportsFailures: boolean;
}

export type QueueWorker = Worker;

export interface StreamWorker extends Worker {
  bisects: boolean;
  mostRetries: number;
  /** Of each record, one of these must hold; all records when there are none. */
  patterns: readonly Record<string, unknown>[];
}

export interface Sources {
  queue: readonly QueueWorker[];
  stream: StreamWorker | null;
}

/**
 * Every event source of the queue and of the stream.
 * @throws UserError when one asks for what is not done here
 */
export const readEventSources = (): Sources => {
  const usual = defaultSettings();
  const queue: QueueWorker[] = [];
  const stream: StreamWorker[] = [];
  for (const { file, functions } of functionFiles()) {
    const parsed = Functions.safeParse(functions);
    if (!parsed.success) {
      throw new UserError(`${file} cannot be run on this machine: ${z.prettifyError(parsed.error)}`);
    }
    for (const [name, { timeout = usual.timeout, events }] of Object.entries(parsed.data)) {
      for (const event of events) {
        const source = event.sqs ?? event.stream;
        if (source === undefined) continue;
        const { batchSize, functionResponseType } = source;
        const worker = { name, timeout, batchSize, reportsFailures: functionResponseType !== undefined };
        if (event.stream === undefined) {
          queue.push(worker);
          continue;
        }
        const { bisectBatchOnFunctionError, maximumRetryAttempts, filterPatterns } = event.stream;
        stream.push({
          ...worker,
          bisects: bisectBatchOnFunctionError,
          mostRetries: maximumRetryAttempts,
          patterns: filterPatterns,
        });
      }
    }
  }
  const [reader = null, ...more] = stream;
  if (more.length > 0) throw new UserError("On this machine the table's stream has one worker only.");
  return { queue, stream: reader };
};
