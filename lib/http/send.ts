/**
 * Sending a notification: saved first, then pushed, then answered. It is a job, so that a retry with the same
 * Idempotency-Key never sends twice, and takes up what a request that died has left.
 */
import { v7 } from "uuid";
import * as z from "zod/mini";
import { Notification, type Subscription } from "../domain/push.ts";
import { invalid } from "../domain/refusal.ts";
import { rfc3339, SECOND } from "../domain/time.ts";
import { log } from "../log.ts";
import { type Delivery, deliver } from "../push/deliver.ts";
import { MOST_MESSAGE_BYTES, messageOf } from "../push/message.ts";
import { writesOf } from "../store/changes.ts";
import { Stale, type StoredItem } from "../store/database.ts";
import {
  type Answer,
  fulfilAnswer,
  IN_PROGRESS,
  promiseAnswer,
  reading,
  storedAnswer,
} from "../store/decide.ts";
import { beginJob, type HeldJob, holdJob, LeasedJob, leasedJob } from "../store/jobs.ts";
import { notificationWrite } from "../store/notifications.ts";
import type { Store } from "../store/store.ts";
import { parseSubscriptionEntry, subscriptionEntries, unsubscribing } from "../store/subscriptions.ts";
import type { Call } from "./endpoint.ts";
import { orFailure, withKeys } from "./notifications.ts";
import { Failure } from "./replies.ts";

/** A notification and what became of it. */
export const SendResult = z.object({
  notification: Notification,
  /** How many there are. */
  subscriptions: z.int(),
  sent: z.int(),
  failed: z.int(),
  /** Removed, because the push service knows them no more. */
  expired: z.int(),
  /** Not tried within the request. */
  queued: z.int(),
});
type SendResult = z.infer<typeof SendResult>;

type SendCall = Call<"administrator", { title: string; content: string }, unknown, SendResult>;

const SendJob = z.extend(LeasedJob, { notification: Notification });
type SendJob = z.infer<typeof SendJob>;

/** How many subscriptions are served within the request, and for how long in all, in milliseconds. */
const MOST_IN_REQUEST = 200;
const PATIENCE = 8 * SECOND;
/** Time kept for what comes after the push, in milliseconds. */
const RESERVE = 4 * SECOND;
const REMOVALS_AT_ONCE = 8;

/** @throws Refusal `invalid_request` when a push message cannot carry it */
const newNotification = ({ body, now, player }: SendCall): Notification => {
  const notification: Notification = {
    notification_id: v7(),
    player_id: player.player_id,
    title: body.title,
    content: body.content,
    player_group: "All",
    created_at: rfc3339(now),
  };
  if (messageOf(notification).length <= MOST_MESSAGE_BYTES) return notification;
  const message = `is too long for a push message: with the title and all, it has at most ${MOST_MESSAGE_BYTES} bytes`;
  throw invalid({ path: "content", message });
};

/**
 * Saves the notification and begins to send it, or takes up an earlier request with the same key.
 * @returns the job; or the answer, when it has been sent before
 */
const begin = async (
  call: SendCall,
  notification: Notification,
): Promise<HeldJob<SendJob> | { earlier: Answer }> => {
  const { now, once, services, timeLeft } = call;
  const { store, clock } = services;
  const parse = (item: StoredItem) => SendJob.parse(item);
  const hold = (jobId: string, begun: boolean) =>
    holdJob({ store, parse, clock, timeLeft, taken: IN_PROGRESS }, jobId, begun);

  const earlier = once === undefined ? undefined : await storedAnswer(store.db, once, now);
  if (earlier?.job !== undefined) return hold(earlier.job, false);
  if (earlier !== undefined) return { earlier: { status: earlier.status, body: earlier.body } };

  const { notification_id: id } = notification;
  const promise = promiseAnswer(once, now, id);
  const job = beginJob({ ...leasedJob(id, now), notification });
  try {
    await store.commit([notificationWrite(notification, store.shards()), job, ...promise], timeLeft);
  } catch (error) {
    // The same request has begun in the meantime.
    if (error instanceof Stale) return begin(call, notification);
    throw error;
  }
  return hold(id, true);
};

/** The first subscriptions of all, and how many there are. */
const recipients = async (store: Store): Promise<{ first: Subscription[]; total: number }> => {
  const first: Subscription[] = [];
  let total = 0;
  for await (const entry of subscriptionEntries(store, 1_000)) {
    total += 1;
    if (first.length < MOST_IN_REQUEST) first.push(parseSubscriptionEntry(entry));
  }
  return { first, total };
};

/** Removes subscriptions that a push service knows no more, unless they have been renewed or moved since. */
const removeExpired = async (
  { services: { store }, timeLeft, requestId }: SendCall,
  expired: readonly Subscription[],
): Promise<void> => {
  const rest = expired.values();
  const worker = async (): Promise<void> => {
    for (const subscription of rest) {
      try {
        await store.commit(unsubscribing([subscription]), timeLeft);
      } catch (error) {
        // It is found again at the next notification.
        if (!(error instanceof Stale)) log().warn("expired subscription kept", { request_id: requestId });
      }
    }
  };
  await Promise.all(Array.from({ length: REMOVALS_AT_ONCE }, worker));
};

/** What became of how many; which ones is nobody's business. */
const told = (deliveries: readonly Delivery[], requestId: string): Record<Delivery["fate"], number> => {
  const counts = { sent: 0, expired: 0, failed: 0 };
  const reasons: Record<string, number> = {};
  for (const { fate, why } of deliveries) {
    counts[fate] += 1;
    reasons[why] = (reasons[why] ?? 0) + 1;
  }
  const line = { request_id: requestId, ...counts, reasons };
  // A service that refuses our key does so whatever the subscription is: it is for the deployment to mend.
  if ("401" in reasons || "403" in reasons) log().error("push services refuse our VAPID key", line);
  else log().info("push", line);
  return counts;
};

/** Pushes to as many as the request serves. @throws Failure 500 when every attempt failed */
const push = async (call: SendCall, notification: Notification): Promise<SendResult> => {
  const { services, timeLeft, requestId } = call;
  const NOT_READ = "The notification was saved, and not sent: the subscriptions could not be read.";
  const { first, total } = await orFailure(NOT_READ, () => reading(recipients(services.store)));
  const outgoing = {
    message: messageOf(notification),
    topic: notification.notification_id.replaceAll("-", ""),
    patience: Math.min(PATIENCE, timeLeft() - RESERVE),
  };
  const deliveries = await deliver(first, outgoing, withKeys(services.push));
  const counts = told(deliveries, requestId);
  await removeExpired(
    call,
    deliveries.flatMap(({ fate, subscription }) => (fate === "expired" ? [subscription] : [])),
  );
  if (first.length > 0 && counts.failed === first.length) {
    throw new Failure(500, "The notification was saved, and not sent: no push service took it.");
  }
  return { notification, subscriptions: total, ...counts, queued: total - first.length };
};

/** Keeps the answer, for retries and in the log. What has been pushed cannot be taken back, so this never throws. */
const end = async (call: SendCall, held: HeldJob<SendJob>, answer: Answer): Promise<void> => {
  const { now, once, services, requestId } = call;
  const entry = call.log.entry("done");
  const logged = writesOf(entry === undefined ? {} : { log: entry }, services.store.shards());
  const kept = fulfilAnswer(once, answer, now);
  call.log.written();
  try {
    await held.save({ done: true }, [...logged, ...kept]);
  } catch (error) {
    log().error("answer to a sent notification not kept", { request_id: requestId, error: String(error) });
  }
};

/**
 * Saves a notification and pushes it to everyone who has subscribed.
 * @throws Failure 500 when it could not be saved or sent; Refusal `invalid_request`, `in_progress`, `key_reused`
 */
export const sendNotification = async (call: SendCall): Promise<Answer> => {
  withKeys(call.services.push);
  const wanted = newNotification(call);
  const held = await orFailure("The notification could not be saved.", () => begin(call, wanted));
  if ("earlier" in held) return held.earlier;
  const { notification } = held.job;
  call.note.details = { notification_id: notification.notification_id };
  try {
    const result = await push(call, notification);
    const { notification: _, ...counts } = result;
    call.note.details = { ...call.note.details, ...counts };
    const answer = call.answer(result);
    await end(call, held, answer);
    return answer;
  } catch (error) {
    // A retry with the same key may take it up at once.
    await held.release().catch(() => {});
    throw error;
  }
};
