/**
 * Queues pushes for the changes in the table's stream, which contains every committed change. So no push is lost, and
 * no command waits for one. A record that is delivered twice is pushed twice under the same id, and shown once.
 */
import type { DynamoDBRecord } from "aws-lambda";
import * as z from "zod/mini";
import { checkpointEvent, type Recipient, recipientsOf } from "../../domain/gameEvents.ts";
import { isDeath } from "../../domain/interaction.ts";
import { HOUR, instantOf, SECOND } from "../../domain/time.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import type { LogEntry } from "../../store/items.ts";
import { parseStreamItem, type StreamItem } from "../../store/stream.ts";
import { queueMessagesFor } from "../notifications/queueMessages.ts";

const CheckpointSet = z.object({ checkpoint_id: z.nullable(z.string()) });

const recipientsOfLog = ({ action, outcome, details, actor, at }: LogEntry): Recipient[] => {
  if (action !== "set_checkpoint" || outcome !== "done") return [];
  const { checkpoint_id: id } = CheckpointSet.parse(details);
  return id === null ? [] : [{ event: checkpointEvent(id, actor, at), to: null }];
};

/**
 * Events are written as soon as they are recorded. An event that is written later than this was copied by an import,
 * and was pushed before.
 */
const MAX_WRITE_DELAY_MS = HOUR;

/**
 * When an event was recorded, in milliseconds since 1970. It may have happened earlier: a hunt can be reported hours
 * later, and a starvation is dated at its deadline.
 */
const recordedAt = (item: NonNullable<StreamItem>): number =>
  instantOf("interaction" in item ? item.interaction.recorded_at : item.log.at);

/**
 * The interaction or log entry that a record adds; `null` for any other change, and for a copy of an old event.
 * @throws Error when the record cannot be read
 */
const parseRecord = ({ eventName, dynamodb }: DynamoDBRecord): StreamItem => {
  if (eventName !== "INSERT" || dynamodb?.NewImage === undefined) return null;
  const item = parseStreamItem(dynamodb.NewImage);
  // In seconds since 1970: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html
  const { ApproximateCreationDateTime: createdAt } = dynamodb;
  if (item === null || createdAt === undefined) return item;
  return createdAt * SECOND - recordedAt(item) > MAX_WRITE_DELAY_MS ? null : item;
};

/**
 * The new items in records, and the number of unreadable ones. An unreadable record stays unreadable, and retrying it
 * would block the stream, so it is logged as an error and skipped.
 */
const parseRecords = (records: readonly DynamoDBRecord[], requestId: string) => {
  let unreadable = 0;
  const items = records.flatMap((record) => {
    try {
      return parseRecord(record) ?? [];
    } catch (error) {
      unreadable += 1;
      log.error("a record of the stream cannot be read", { request_id: requestId, error });
      return [];
    }
  });
  return { items, unreadable };
};

const recipientsOfItem = (item: NonNullable<StreamItem>): Recipient[] =>
  "interaction" in item ? recipientsOf(item.interaction) : recipientsOfLog(item.log);

/**
 * Queues the pushes for new items, then records metrics. Metrics come last, because records that are delivered again
 * are counted again.
 * @throws Error when the queue is not available; the records are then delivered again
 */
export const processStreamRecords = async (
  { services, requestId }: WorkerContext,
  records: readonly DynamoDBRecord[],
): Promise<void> => {
  const { items, unreadable } = parseRecords(records, requestId);
  // Without VAPID keys the deployment sends no pushes.
  if (services.push.vapid !== null) {
    const messages = queueMessagesFor(items.flatMap(recipientsOfItem), services.clock());
    await services.queue.send(messages.map((message) => ({ message })));
  }
  const kinds = items.flatMap((item) => ("interaction" in item ? [item.interaction.kind] : []));
  await recordMetrics({
    StreamRecordUnreadable: unreadable,
    Hunts: kinds.filter((kind) => kind === "hunt").length,
    Deaths: kinds.filter(isDeath).length,
  });
};
