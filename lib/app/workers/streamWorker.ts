/**
 * The stream's work: what has been committed is put on the queue, so that nothing is lost between the two and the
 * game never waits for a push. A record that comes again is told again, under the same name, and shows once.
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

const ofLog = ({ action, outcome, details, actor, at }: LogEntry): Recipient[] => {
  if (action !== "set_checkpoint" || outcome !== "done") return [];
  const { checkpoint_id: id } = CheckpointSet.parse(details);
  return id === null ? [] : [{ event: checkpointEvent(id, actor, at), to: null }];
};

/**
 * An event is written as soon as it is recorded. One that was written later than this has been copied, by
 * `npm run import`, and everybody was told of it when it happened.
 */
const COPIED_AFTER = HOUR;

/**
 * When an event was recorded, in milliseconds since 1970. That is not when it happened: a hunt may be reported hours
 * later, and a starvation is dated at its deadline.
 */
const recordedAt = (written: NonNullable<StreamItem>): number =>
  instantOf("interaction" in written ? written.interaction.recorded_at : written.log.at);

/**
 * What a record tells of; `null` for a change that concerns nobody here, and for a copy of an old event.
 * @throws Error for one that cannot be read
 */
const writtenIn = ({ eventName, dynamodb }: DynamoDBRecord): StreamItem => {
  if (eventName !== "INSERT" || dynamodb?.NewImage === undefined) return null;
  const written = parseStreamItem(dynamodb.NewImage);
  // In seconds since 1970: https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_streams_StreamRecord.html
  const { ApproximateCreationDateTime: createdAt } = dynamodb;
  if (written === null || createdAt === undefined) return written;
  return createdAt * SECOND - recordedAt(written) > COPIED_AFTER ? null : written;
};

/**
 * What records tell of, and how many cannot be read. One that cannot be read now never can: to try it again would hold up
 * all that comes after it, so it is told to whoever runs the deployment, and passed over.
 */
const allWritten = (records: readonly DynamoDBRecord[], requestId: string) => {
  let unreadable = 0;
  const written = records.flatMap((record) => {
    try {
      return writtenIn(record) ?? [];
    } catch (error) {
      unreadable += 1;
      log.error("a record of the stream cannot be read", { request_id: requestId, error });
      return [];
    }
  });
  return { written, unreadable };
};

const concernsIn = (written: NonNullable<StreamItem>): Recipient[] =>
  "interaction" in written ? recipientsOf(written.interaction) : ofLog(written.log);

/**
 * Puts what records tell of on the queue, and counts what the game has come to. A record that comes again is counted again:
 * so that is done last, when little is left that could fail.
 * @throws Error when the queue is away: then they are to come again
 */
export const processStreamRecords = async (
  { services, requestId }: WorkerContext,
  records: readonly DynamoDBRecord[],
): Promise<void> => {
  const { written, unreadable } = allWritten(records, requestId);
  // Where no push can be sent there is nobody to tell.
  if (services.push.vapid !== null) {
    const messages = queueMessagesFor(written.flatMap(concernsIn), services.clock());
    await services.queue.send(messages.map((message) => ({ message })));
  }
  const kinds = written.flatMap((one) => ("interaction" in one ? [one.interaction.kind] : []));
  await recordMetrics({
    StreamRecordUnreadable: unreadable,
    Hunts: kinds.filter((kind) => kind === "hunt").length,
    Deaths: kinds.filter(isDeath).length,
  });
};
