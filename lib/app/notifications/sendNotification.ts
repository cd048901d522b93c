/** Sends a notification: saves it, pushes it, and responds with the counts. */
import { v7 } from "uuid";
import { invalid } from "../../domain/domainError.ts";
import { countsOf, type Notification } from "../../domain/push.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import { acquireLease, jobWrite, type Lease, newLeasedJob } from "../../jobs/lease.ts";
import { startJob } from "../../jobs/startJob.ts";
import { MAX_MESSAGE_BYTES, notificationMessage } from "../../push/message.ts";
import { log } from "../../runtime/log.ts";
import { writesOf } from "../../store/changes.ts";
import { type CommandResponse, completeResponse, inProgress } from "../../store/idempotency.ts";
import { randomShard } from "../../store/lists.ts";
import { notificationWrite } from "../../store/notifications.ts";
import { orHttpError, requireVapidKeys } from "./errors.ts";
import { pushNotification } from "./pushNotification.ts";
import { type SendCall, SendJob } from "./sendJob.ts";

/** @throws DomainError `invalid_request` when it does not fit into a push message */
const newNotification = ({ body, now, player }: SendCall): Notification => {
  const notification: Notification = {
    notification_id: v7(),
    player_id: player.player_id,
    title: body.title,
    content: body.content,
    player_group: "All",
    created_at: rfc3339(now),
  };
  if (notificationMessage(notification).length <= MAX_MESSAGE_BYTES) return notification;
  const message = `is too long: a push message has at most ${MAX_MESSAGE_BYTES.toLocaleString("en")} bytes, with its title`;
  throw invalid({ path: "content", message });
};

/**
 * Saves the notification with a job that sends it, or takes over the job of an earlier request with the same key.
 * @returns the lease of the job; or the response, when the notification was sent before
 */
const start = async (
  { game, now, idempotency, services, timeLeft }: SendCall,
  notification: Notification,
): Promise<{ lease: Lease<SendJob> } | { response: CommandResponse }> => {
  const { store, clock } = services;
  const prepare = async () => {
    const { notification_id: jobId } = notification;
    const shard = randomShard(game);
    const job: SendJob = { ...newLeasedJob(jobId, now), notification, shard };
    return { jobId, started: job, writes: [notificationWrite(notification, shard), jobWrite(job)] };
  };
  const found = await startJob({ store, idempotency, now, timeLeft, prepare });
  if ("response" in found) return found;
  const parse = (item: StoredItem) => SendJob.parse(item);
  const options = { store, parse, clock, timeLeft, heldError: inProgress };
  return { lease: await acquireLease(options, found.jobId, found.started) };
};

/**
 * Stores the response and the log entry, and ends the job. It never throws, because the pushes cannot be taken back.
 * @param unsavedWrites the writes that failed after the push
 */
const finish = async (
  call: SendCall,
  lease: Lease<SendJob>,
  response: CommandResponse,
  unsavedWrites: readonly Write[],
): Promise<void> => {
  const { auditLog, game, idempotency, now, requestId } = call;
  const entry = auditLog.entry("done");
  const logWrites = await writesOf(entry === undefined ? {} : { log: entry, seen: game });
  const responseWrites = completeResponse(idempotency, response, now);
  auditLog.markWritten();
  try {
    await lease.save({ done: true }, [...unsavedWrites, ...logWrites, ...responseWrites]);
  } catch (error) {
    log.error("response to a sent notification not stored", { request_id: requestId, error });
  }
};

/**
 * Saves a notification and pushes it to all subscribers.
 * @throws HttpError 500 when it could not be saved or sent
 * @throws DomainError `invalid_request`, `in_progress`, `key_reused`
 */
export const sendNotification = async (call: SendCall): Promise<CommandResponse> => {
  const { audit, services } = call;
  requireVapidKeys(services.push);
  const wanted = newNotification(call);
  const started = await orHttpError("The notification could not be saved.", () => start(call, wanted));
  if ("response" in started) return started.response;
  const { lease } = started;
  const { notification } = lease.job;
  audit.details = { notification_id: notification.notification_id };
  try {
    const { progress, unsavedWrites } = await pushNotification(call, lease.job);
    const counts = countsOf(progress);
    audit.details = { ...audit.details, ...counts };
    const response = call.respond({ notification, ...counts });
    await finish(call, lease, response, unsavedWrites);
    return response;
  } catch (error) {
    // A retry with the same key can take the job over immediately.
    await lease.release().catch(() => {});
    throw error;
  }
};
