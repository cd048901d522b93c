/**
 * The wrappers of workers, which Lambda invokes with batches: of messages of a queue, or of records of the table's
 * stream. Which messages failed is reported one by one, so that only those come again.
 */
import type { Context, DynamoDBRecord, DynamoDBStreamEvent, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { QueueMessage } from "../queue/messages.ts";
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
 * Makes a Lambda handler of work upon messages of the queue. All of a batch are worked on at once; those whose work
 * threw, or that cannot be read, are reported, and come again until the queue lays them aside.
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
          await work(run, QueueMessage.parse(JSON.parse(body)));
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

/** Makes a Lambda handler of work upon records of the table's stream. Where it throws, all of them come again. */
export const streamWorker = (
  name: string,
  work: (run: WorkerContext, records: readonly DynamoDBRecord[]) => Promise<void>,
): Worker<DynamoDBStreamEvent, void> =>
  build(async (run, { Records }) => {
    const { requestId: request_id } = run;
    await work(run, Records);
    log.info("worker", { request_id, name, ...invocationLogFields(), records: Records.length });
  });
