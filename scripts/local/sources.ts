/** Reads the event sources of the workers from `functions.yml`. */
import * as z from "zod/mini";
import { UserError } from "../cli/userError.ts";
import { defaultSettings, functionFiles } from "../project/functions.ts";
import { FilterPatterns } from "./patterns.ts";

// Strict, so that an option which is deployed but not supported locally is an error.
const Queue = z.strictObject({
  arn: z.literal("Queue.Arn"),
  batchSize: z.int(),
  // Two run concurrently here.
  maximumConcurrency: z.optional(z.unknown()),
  functionResponseType: z.literal("ReportBatchItemFailures"),
});

const Stream = z.strictObject({
  type: z.literal("dynamodb"),
  arn: z.literal("Table.StreamArn"),
  batchSize: z.int(),
  startingPosition: z.literal("TRIM_HORIZON"),
  bisectBatchOnFunctionError: z.literal(true),
  // Locally a record is retried for ever.
  maximumRecordAgeInSeconds: z.optional(z.int()),
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

export interface Worker {
  /** Its name in `functions.yml`. */
  name: string;
  /** The limit of an invocation, in seconds. */
  timeout: number;
  batchSize: number;
}

export interface StreamWorker extends Worker {
  /** A record must match one of these; with none, all records match. */
  patterns: Readonly<FilterPatterns>;
}

export interface Sources {
  queue: readonly Worker[];
  stream: StreamWorker | null;
}

/**
 * Returns the event sources of the queue and the stream.
 * @param files the `functions.yml` of every module
 * @throws UserError if one uses an option that is not supported locally, or a filter that AWS does not document
 */
export const readEventSources = (files = functionFiles()): Sources => {
  const usual = defaultSettings();
  const queue: Worker[] = [];
  const stream: StreamWorker[] = [];
  for (const { file, functions } of files) {
    const parsed = Functions.safeParse(functions);
    if (!parsed.success) {
      throw new UserError(`${file} cannot be run on this machine: ${z.prettifyError(parsed.error)}`);
    }
    for (const [name, { timeout = usual.timeout, events }] of Object.entries(parsed.data)) {
      for (const event of events) {
        if (event.sqs !== undefined) queue.push({ name, timeout, batchSize: event.sqs.batchSize });
        if (event.stream === undefined) continue;
        const { batchSize, filterPatterns: patterns } = event.stream;
        stream.push({ name, timeout, batchSize, patterns });
      }
    }
  }
  const [reader = null, ...more] = stream;
  if (more.length > 0) throw new UserError("The table's stream can have only one worker locally.");
  return { queue, stream: reader };
};
