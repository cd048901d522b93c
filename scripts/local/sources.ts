/** Reads the event sources of the workers from `functions.yml`. */
import * as z from "zod/mini";
import { UserError } from "../cli/userError.ts";
import { defaultSettings, functionFiles } from "../project/functions.ts";
import { FilterPatterns } from "./patterns.ts";

const reports = z.optional(z.literal("ReportBatchItemFailures"));

// Strict, so that an option which is deployed but not supported locally is an error.
const Queue = z.strictObject({
  arn: z.literal("Queue.Arn"),
  batchSize: z.int(),
  // Two run concurrently here.
  maximumConcurrency: z.optional(z.unknown()),
  functionResponseType: reports,
});

const Stream = z.strictObject({
  type: z.literal("dynamodb"),
  arn: z.literal("Table.StreamArn"),
  batchSize: z.int(),
  startingPosition: z.literal("TRIM_HORIZON"),
  functionResponseType: reports,
  // Ignored locally.
  maximumRecordAgeInSeconds: z.optional(z.int()),
  bisectBatchOnFunctionError: z._default(z.boolean(), false),
  // Unlimited by default: until the records are a day old.
  maximumRetryAttempts: z._default(z.int(), Number.POSITIVE_INFINITY),
  // Locally a log line takes its place.
  destinations: z.optional(z.unknown()),
  filterPatterns: z._default(FilterPatterns, []),
});

const Functions = z.record(
  z.string(),
  z.looseObject({
    timeout: z.optional(z.int()),
    events: z.array(z.looseObject({ sqs: z.optional(Queue), stream: z.optional(Stream) })),
  }),
);

interface Worker {
  /** Its name in `functions.yml`. */
  name: string;
  /** The limit of an invocation, in seconds. */
  timeout: number;
  batchSize: number;
  /** Whether it reports partial failures; otherwise its response is ignored. */
  reportsFailures: boolean;
}

export type QueueWorker = Worker;

export interface StreamWorker extends Worker {
  bisects: boolean;
  mostRetries: number;
  /** A record must match one of these; with none, all records match. */
  patterns: Readonly<FilterPatterns>;
}

export interface Sources {
  queue: readonly QueueWorker[];
  stream: StreamWorker | null;
}

/**
 * Returns the event sources of the queue and the stream.
 * @param files the `functions.yml` of every module
 * @throws UserError if one uses an option that is not supported locally, or a filter that AWS does not document
 */
export const readEventSources = (files = functionFiles()): Sources => {
  const usual = defaultSettings();
  const queue: QueueWorker[] = [];
  const stream: StreamWorker[] = [];
  for (const { file, functions } of files) {
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
  if (more.length > 0) throw new UserError("The table's stream can have only one worker locally.");
  return { queue, stream: reader };
};
