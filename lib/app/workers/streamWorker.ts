/**
 * Queues pushes for the game events in the table's stream, and mails, because it contains every committed change. So
 * none is lost, and no command waits for one. A record that is delivered twice is pushed twice with the same id, and devices show
 * it once.
 */
import type { DynamoDBRecord } from "aws-lambda";
import type { GameEvent } from "../../domain/events/gameEvents.ts";
import { mayBeNewcomer } from "../../domain/notifications/alerts.ts";
import { HOUR, SECOND } from "../../domain/time.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { NewcomerTags } from "../../queue/messages.ts";
import { chunk } from "../../runtime/chunk.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import { keys } from "../../store/keys.ts";
import { gameEventsOf, type RecordedEvents } from "../../store/notifications/stream.ts";
import { queueMessagesFor } from "../notifications/queueMessages.ts";
import { webhookMessages } from "../notifications/queueWebhooks.ts";

/**
 * Events are written as soon as they are recorded. An item that is written later than this after its event is a copy: an
 * import, or a repair by a recount or a statement. Its event was pushed before.
 */
const MAX_DELAY_MS = HOUR;

/**
 * The events in a record; none for a removed item, for most changed items, and for a copy of an old event. The filter
 * cannot tell an insert from a change (decision 74), so this function does.
 * @throws Error if the record cannot be parsed
 */
const readRecord = ({ eventName, dynamodb }: DynamoDBRecord): RecordedEvents[] => {
  if (dynamodb?.NewImage === undefined) return [];
  const recorded = gameEventsOf(dynamodb.NewImage, eventName === "INSERT");
  if (recorded === null) return [];
  // In seconds since 1970: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html
  const { ApproximateCreationDateTime: createdAt } = dynamodb;
  if (createdAt !== undefined && createdAt * SECOND - recorded.recordedAt > MAX_DELAY_MS) return [];
  return [recorded];
};

/**
 * The events in records, and the number of invalid records. Retrying an invalid record would block the stream, so it is
 * logged as an error and skipped.
 */
const readRecords = (records: readonly DynamoDBRecord[], requestId: string) => {
  let unreadable = 0;
  const recorded = records.flatMap((record) => {
    try {
      return readRecord(record);
    } catch (error) {
      unreadable += 1;
      log.error("a record of the stream cannot be read", { request_id: requestId, error });
      return [];
    }
  });
  return { recorded, unreadable };
};

const newcomerTags = (recorded: readonly RecordedEvents[]): NewcomerTags["tags"] =>
  recorded.flatMap(({ interaction }) => {
    if (interaction?.kind !== "hunt") return [];
    const { interaction_id, actor: hunter, target, human_since, recorded_at: at } = interaction;
    if (hunter === null || target === null || human_since === undefined) return [];
    return mayBeNewcomer(human_since, at) ? [{ interaction_id, hunter, target, at }] : [];
  });

/** Whether a record is about a mail of the outbox. */
const isOfMail = ({ dynamodb }: DynamoDBRecord): boolean => dynamodb?.Keys?.pk?.S === keys.mail("").pk;

const partition = <T>(all: readonly T[], isFirst: (one: T) => boolean): [T[], T[]] => [
  all.filter(isFirst),
  all.filter((one) => !isFirst(one)),
];

const MAX_TAGS_PER_MESSAGE = 25;

/**
 * Queues the pushes for new events, then records metrics. Metrics come last, because records that are delivered again
 * are counted again.
 * @throws Error if the queue is unavailable, so that the stream delivers the records again
 */
export const processStreamRecords = async (
  run: WorkerContext,
  records: readonly DynamoDBRecord[],
): Promise<void> => {
  const { services, requestId } = run;
  const [mails, others] = partition(records, isOfMail);
  if (mails.length > 0 && services.mail !== null) {
    // Imported on demand: few changes cause a mail.
    const { queueMails } = await import("../mail/queueMails.ts");
    await queueMails(run, mails);
  }
  const { recorded, unreadable } = readRecords(others, requestId);
  const events = recorded.flatMap((one) => one.events);
  const tags = chunk(newcomerTags(recorded), MAX_TAGS_PER_MESSAGE);
  await services.queue.send(tags.map((batch) => ({ message: { kind: "newcomers", tags: batch } })));
  // Without VAPID keys the deployment sends no pushes.
  if (services.push.vapid !== null) {
    const messages = queueMessagesFor(events, services.clock());
    await services.queue.send(messages.map((message) => ({ message })));
  }
  const toWebhooks = await webhookMessages(run, recorded);
  await services.queue.send(toWebhooks.map((message) => ({ message })));
  const countOf = (...names: GameEvent["what"][]): number =>
    events.filter(({ event }) => names.includes(event.what)).length;
  await recordMetrics({
    StreamRecordUnreadable: unreadable,
    Hunts: countOf("tagged"),
    Deaths: countOf("killed", "checkpoint_missed", "starved"),
  });
};
