/** Sends a notification: saves it, pushes it, and responds with the counts. */
import { v7 } from "uuid";
import { DomainError, invalidRequest, orFault } from "../../domain/domainError.ts";
import { countsOf, deliveryOf, hidesDelivery, type Notification } from "../../domain/notifications/push.ts";
import { DAY, instantOf, rfc3339 } from "../../domain/time.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import { acquireLease, jobWrite, type Lease, newLeasedJob } from "../../jobs/lease.ts";
import { SendJob } from "../../jobs/sendJob.ts";
import { startJob } from "../../jobs/startJob.ts";
import { MAX_MESSAGE_BYTES, notificationMessage } from "../../push/message.ts";
import { log } from "../../runtime/log.ts";
import { writesOf } from "../../store/changes.ts";
import { type CommandResponse, completeResponse, inProgress } from "../../store/idempotency.ts";
import { randomShard } from "../../store/lists.ts";
import { toAllWrite } from "../../store/mail/mails.ts";
import { notificationWrite, scheduledWrite } from "../../store/notifications/notifications.ts";
import { requireVapidKeys } from "./errors.ts";
import { NO_PROGRESS, pushNotification } from "./pushNotification.ts";
import type { MessageToSend, SendCall } from "./sendCall.ts";

const MAX_DAYS_AHEAD = 30;

/** @throws DomainError `invalid_request` if the time to send is in the past or too far in the future */
const requireSendTime = (at: number, now: number): void => {
  if (at > now && at <= now + MAX_DAYS_AHEAD * DAY) return;
  throw invalidRequest({ path: "send_at", message: `must be in the next ${MAX_DAYS_AHEAD} days` });
};

/** @throws DomainError `invalid_request` if it does not fit into a push message */
const newNotification = ({ now, player }: SendCall, body: MessageToSend): Notification => {
  const sendAt = body.send_at === undefined ? undefined : instantOf(body.send_at);
  const notification: Notification = {
    // Notifications are listed by id, so the id contains the time of sending.
    notification_id: sendAt === undefined ? v7() : v7({ msecs: Math.max(0, sendAt) }),
    player_id: player.player_id,
    title: body.title,
    content: body.content,
    player_group: "All",
    audience: body.audience ?? "all",
    ...(body.unsigned === true ? { unsigned: true } : {}),
    ...(body.missions_below === undefined ? {} : { missions_below: body.missions_below }),
    ...(body.also_email === true ? { also_email: true } : {}),
    created_at: rfc3339(now),
    ...(sendAt === undefined ? {} : { send_at: rfc3339(sendAt) }),
  };
  const { length } = notificationMessage(notification);
  if (length <= MAX_MESSAGE_BYTES) return notification;
  const part = Math.ceil((100 * (length - MAX_MESSAGE_BYTES)) / length);
  const message = `is too long for a push message, with its title: shorten it by about ${part} %`;
  throw invalidRequest({ path: "content", message });
};

/**
 * @throws DomainError `wrong_state` if the filter can match nobody, whoever is in the audience. What is scheduled may match
 *   somebody by then
 */
const requireRecipients = async (
  { game, now, services: { store } }: SendCall,
  { unsigned, missions_below: min, send_at }: Notification,
): Promise<void> => {
  if (send_at !== undefined) return;
  if (unsigned === true && game.settings.waiver_versions.length === 0)
    throw new DomainError("wrong_state", "This would reach nobody: the game has no waiver.");
  if (min === undefined) return;
  // Imported on demand: few messages are about missions.
  const { readRequirement } = await import("../missions/requirement.ts");
  const { ids, needed } = await readRequirement(store, game, min, now);
  if (ids.length === 0)
    throw new DomainError(
      "wrong_state",
      "This would reach nobody: no required mission has begun, so nobody has missed one.",
    );
  if (needed === 0)
    throw new DomainError(
      "wrong_state",
      "This would reach nobody: each cancelled mission counts as attended, and there are as many.",
    );
};

/**
 * Saves the notification with a job that sends it, or takes over the job of an earlier request with the same key.
 * @returns the lease of the job; or the response, if the notification was sent before
 */
const start = async (
  call: SendCall,
  notification: Notification,
): Promise<{ lease: Lease<SendJob> } | { response: CommandResponse }> => {
  const { game, now, idempotency, services, timeLeft } = call;
  const { store, clock } = services;
  const prepare = async () => {
    await requireRecipients(call, notification);
    const { notification_id: jobId } = notification;
    const shard = randomShard(game);
    const job: SendJob = { ...newLeasedJob(jobId, now), notification, shard };
    if (notification.send_at === undefined) {
      const writes = [
        notificationWrite(notification, shard),
        jobWrite(job),
        ...(notification.also_email === true ? [toAllWrite(notification, now)] : []),
      ];
      return { jobId, started: job, writes };
    }
    const at = instantOf(notification.send_at);
    requireSendTime(at, now);
    return { jobId, started: job, writes: [scheduledWrite(notification, shard, at), jobWrite(job)] };
  };
  const found = await startJob({ store, idempotency, now, timeLeft, prepare });
  if ("response" in found) return found;
  const parse = (item: StoredItem) => SendJob.parse(item);
  const options = { store, parse, clock, timeLeft, leaseHeldError: inProgress };
  return { lease: await acquireLease(options, found.jobId, found.started) };
};

/**
 * Stores the response and the log entry, and ends the job. Never throws, because pushes cannot be undone.
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
  const logWrites = await writesOf(entry === undefined ? {} : { log: entry, basedOn: game });
  const responseWrites = completeResponse(idempotency, response, now);
  auditLog.markWritten();
  try {
    await lease.save({ done: true }, [...unsavedWrites, ...logWrites, ...responseWrites]);
  } catch (error) {
    log.error("response to a sent notification not stored", { request_id: requestId, error });
  }
};

const SENT_TO_ALL =
  "The player group has no effect: this is for all players. To reach some of them, set the audience to humans, zombies, corpses, moderators, or label: and a label.";

/** `player_groups` does not restrict the audience, so a request with only this field gets a warning. */
const warningFor = ({ audience, player_groups }: MessageToSend): { warning?: string } =>
  audience === undefined && player_groups !== "All" ? { warning: SENT_TO_ALL } : {};

/**
 * Saves a notification, and pushes it to the subscribers in its audience unless it is to be sent later.
 * @throws Fault when it could not be saved or sent
 * @throws DomainError `invalid_request`, `in_progress`, `key_reused`; `wrong_state` if it would reach nobody
 */
export const sendNotification = async (call: SendCall, message: MessageToSend): Promise<CommandResponse> => {
  const { audit, services } = call;
  const wanted = newNotification(call, message);
  if (message.also_email === true && services.mail === null)
    throw new DomainError("wrong_state", "This service sends no mail.");
  if (message.dry_run === true || message.test_email === true) {
    // Imported on demand: most requests send.
    const { previewMails, sendTest } = await import("../mail/previewAnnouncement.ts");
    if (message.dry_run !== true) return sendTest(call, wanted);
    await requireRecipients(call, wanted);
    return previewMails(call, wanted);
  }
  requireVapidKeys(services.push);
  const started = await orFault("The notification could not be saved.", () => start(call, wanted));
  if ("response" in started) return started.response;
  const { lease } = started;
  const { notification } = lease.job;
  const { notification_id, audience, send_at } = notification;
  audit.details = {
    notification_id,
    title: notification.title,
    ...(audience === "all" ? {} : { audience }),
    ...(send_at === undefined ? {} : { send_at }),
    ...(notification.also_email === true ? { also_email: true } : {}),
  };
  try {
    const { progress, unsavedWrites } =
      send_at === undefined
        ? await pushNotification(call, lease.job)
        : { progress: NO_PROGRESS, unsavedWrites: [] };
    const isHidden = hidesDelivery(audience, call.player, call.game, call.now);
    const delivery = deliveryOf(progress, isHidden, send_at === undefined ? undefined : "scheduled");
    if (send_at === undefined) audit.details = { ...audit.details, ...countsOf(progress) };
    const response = call.respond({ notification, ...delivery, ...warningFor(message) });
    await finish(call, lease, response, unsavedWrites);
    return response;
  } catch (error) {
    // A retry with the same key can take the job over immediately.
    await lease.release().catch(() => {});
    throw error;
  }
};
