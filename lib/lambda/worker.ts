/**
 * The wrappers of workers, which Lambda invokes with batches of queue messages or of records of the table's stream.
 * Failed messages are reported individually, so that only those are delivered again.
 */
import type { Context, DynamoDBRecord, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { decodeMessage, type QueueMessage } from "../queue/messages.ts";
import { invocationLogFields, runInvocation } from "../runtime/invocation.ts";
import { log } from "../runtime/log.ts";
import { recordMetrics } from "../runtime/metrics.ts";
import type { WorkerContext } from "./scheduled.ts";
import { services as ownServices, type Services } from "./services.ts";

/** A worker, which can also be run with other services. */
export interface Worker<E, R> {
  (event: E, context: Context): Promise<R>;
  on: (services: Services) => Worker<E, R>;
}

const build = <E, R>(
  work: (run: WorkerContext, event: E) => Promise<R>,
  choose: () => Services = ownServices,
): Worker<E, R> =>
  Object.assign(
    (event: E, context: Context): Promise<R> =>
      runInvocation(() =>
        work(
          {
            services: choose(),
            requestId: context.awsRequestId,
            timeLeft: () => context.getRemainingTimeInMillis(),
          },
          event,
        ),
      ),
    { on: (given: Services) => build(work, () => given) },
  );

/**
 * Makes a Lambda handler from work on one queue message. The messages of a batch are processed concurrently. A message
 * that is malformed or whose work throws is delivered again, until the queue dead-letters it.
 */
export const queueWorker = (
  name: string,
  work: (run: WorkerContext, message: QueueMessage) => Promise<void>,
): Worker<SQSEvent, SQSBatchResponse> =>
  build(async (run, { Records }) => {
    const { requestId: request_id } = run;
    const results = await Promise.all(
      Records.map(async ({ messageId, body }) => {
        try {
          await work(run, decodeMessage(body));
          return [];
        } catch (error) {
          log.error("fault", { request_id, name, message_id: messageId, error });
          return [{ itemIdentifier: messageId }];
        }
      }),
    );
    const batchItemFailures = results.flat();
    const failed = batchItemFailures.length;
    log.info("worker", {
      request_id,
      name,
      ...invocationLogFields(),
      messages: Records.length,
      failed,
    });
    await recordMetrics({ MessagesFailed: failed });
    return { batchItemFailures };
  });

/** Makes a Lambda handler from work on records of the table's stream. When it throws, all of them are delivered again. */
export const streamWorker = (
  name: string,
  work: (run: WorkerContext, records: readonly DynamoDBRecord[]) => Promise<void>,
): Worker<DynamoDBStreamEvent, void> =>
  build(async (run, { Records }) => {
    const { requestId: request_id } = run;
    await work(run, Records);
    log.info("worker", { request_id, name, ...invocationLogFields(), records: Records.length });
  });
