/**
 * Queues pushes for the game events in the table's stream, which contains every committed change. So no push is lost, and
 * no command waits for one. A record that is delivered twice is pushed twice under the same id, and shown once.
 */
import type { DynamoDBRecord } from "aws-lambda";
import { pushKindOf, type Recipient } from "../../domain/gameEvents.ts";
import { HOUR, SECOND } from "../../domain/time.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import { gameEventsOf } from "../../store/stream.ts";
import { queueMessagesFor } from "../notifications/queueMessages.ts";

/**
 * Events are written as soon as they are recorded. An event that is written later than this was copied by an import,
 * and was pushed before.
 */
const MAX_WRITE_DELAY_MS = HOUR;

/**
 * The events of a record; none for a removed item, most changed ones, and a copy of an old event.
 * @throws Error when the record cannot be read
 */
const eventsOfRecord = ({ eventName, dynamodb }: DynamoDBRecord): Recipient[] => {
  if (dynamodb?.NewImage === undefined) return [];
  const recorded = gameEventsOf(dynamodb.NewImage, eventName === "INSERT");
  if (recorded === null) return [];
  const { events, recordedAt } = recorded;
  // In seconds since 1970: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html
  const { ApproximateCreationDateTime: createdAt } = dynamodb;
  if (createdAt !== undefined && createdAt * SECOND - recordedAt > MAX_WRITE_DELAY_MS) return [];
  return events;
};

/**
 * The events in records, and the number of unreadable records. An unreadable record stays unreadable, and retrying it
 * would block the stream, so it is logged as an error and skipped.
 */
const eventsOfRecords = (records: readonly DynamoDBRecord[], requestId: string) => {
  let unreadable = 0;
  const events = records.flatMap((record) => {
    try {
      return eventsOfRecord(record);
    } catch (error) {
      unreadable += 1;
      log.error("a record of the stream cannot be read", { request_id: requestId, error });
      return [];
    }
  });
  return { events, unreadable };
};

/**
 * Queues the pushes for new events, then records metrics. Metrics come last, because records that are delivered again
 * are counted again.
 * @throws Error when the queue is not available; the records are then delivered again
 */
export const processStreamRecords = async (
  { services, requestId }: WorkerContext,
  records: readonly DynamoDBRecord[],
): Promise<void> => {
  const { events, unreadable } = eventsOfRecords(records, requestId);
  // Without VAPID keys the deployment sends no pushes.
  if (services.push.vapid !== null) {
    const messages = queueMessagesFor(events, services.clock());
    await services.queue.send(messages.map((message) => ({ message })));
  }
  const kinds = events.map(({ event }) => pushKindOf(event));
  await recordMetrics({
    StreamRecordUnreadable: unreadable,
    // Every hunt tags one player, and each death kills one.
    Hunts: kinds.filter((kind) => kind === "tagged").length,
    Deaths: kinds.filter((kind) => kind === "killed").length,
  });
};
