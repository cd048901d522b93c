/**
 * Sending a notification: saved first, then pushed, then answered. It is a job, so that a retry with the same
 * Idempotency-Key never sends twice, and takes up what a request that died has left.
 */
import { v7 } from "uuid";
import * as z from "zod/mini";
import { invalid } from "../../domain/domainError.ts";
import { countsOf, Notification, type Progress, type SendResult } from "../../domain/push.ts";
import { instantOf, rfc3339, SECOND } from "../../domain/time.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { Call } from "../../http/definition.ts";
import { HttpError } from "../../http/responses.ts";
import { acquireLease, jobWrite, type Lease, LeasedJob, newLeasedJob } from "../../jobs/lease.ts";
import { MAX_MESSAGE_BYTES, notificationMessage, pushTopic } from "../../push/message.ts";
import type { Page } from "../../queue/messages.ts";
import { log } from "../../runtime/log.ts";
import {
  LIST_START,
  lastRound,
  makePlan,
  type Plan,
  plannedCount,
  planWrite,
  readPlan,
  roundWrite,
  withHash,
} from "../../store/broadcasts.ts";
import { writesOf } from "../../store/changes.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import {
  type CommandResponse,
  completeResponse,
  inProgress,
  reserveResponse,
  storedResponse,
} from "../../store/idempotency.ts";
import { notificationRecord, notificationWrite, progressWrite } from "../../store/notifications.ts";
import type { Store } from "../../store/store.ts";
import { subscriptionEntries } from "../../store/subscriptions.ts";
import { type BatchResult, deliverBatch, type Target } from "./deliverBatch.ts";
import { orHttpError, requireVapidKeys } from "./errors.ts";
import { countPages, nextRoundMessage } from "./pages.ts";

type SendCall = Call<"administrator", { title: string; content: string }, unknown, SendResult>;

const SendJob = z.extend(LeasedJob, { notification: Notification, shard: z._default(z.int(), 0) });
type SendJob = z.infer<typeof SendJob>;

/** How many subscriptions are served within the request, and for how long in all, in milliseconds. */
const MOST_IN_REQUEST = 200;
const PATIENCE = 8 * SECOND;
/** Time kept for what comes after the push, in milliseconds. */
const RESERVE = 4 * SECOND;

const NO_PROGRESS: Progress = { subscriptions: 0, sent: 0, failed: 0, expired: 0, pages: 0, pages_done: 0 };

/** @throws DomainError `invalid_request` when a push message cannot carry it */
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
 * Saves the notification and begins to send it, or takes up an earlier request with the same key.
 * @returns the job; or the answer, when it has been sent before
 */
const begin = async (
  call: SendCall,
  notification: Notification,
): Promise<Lease<SendJob> | { earlier: CommandResponse }> => {
  const { now, idempotency: once, services, timeLeft } = call;
  const { store, clock } = services;
  const parse = (item: StoredItem) => SendJob.parse(item);
  const hold = (jobId: string, begun: boolean) =>
    acquireLease({ store, parse, clock, timeLeft, heldError: inProgress }, jobId, begun);

  const earlier = await storedResponse(store.db, once, now);
  if (earlier?.job !== undefined) return hold(earlier.job, false);
  if (earlier !== undefined) return { earlier: { status: earlier.status, body: earlier.body } };

  const { notification_id: id } = notification;
  const promise = reserveResponse(once, now, id);
  const shard = Math.floor(Math.random() * store.shards());
  const job = jobWrite({ ...newLeasedJob(id, now), notification, shard });
  try {
    await store.commit([notificationWrite(notification, shard), job, ...promise], timeLeft);
  } catch (error) {
    // The same request has begun in the meantime.
    if (error instanceof ConditionFailed) return begin(call, notification);
    throw error;
  }
  return hold(id, true);
};

/** The subscriptions when there are few; `null` when there are more than are served within the request. */
const few = async (store: Store): Promise<Target[] | null> => {
  const found: Target[] = [];
  for await (const entry of subscriptionEntries(store, MOST_IN_REQUEST + 1)) {
    if (found.length === MOST_IN_REQUEST) return null;
    found.push({ ...withHash(entry), tries: 0 });
  }
  return found;
};

const NOT_READ = "The notification was saved, and not sent: the subscriptions could not be read.";
const NOT_TAKEN = "The notification was saved, and not sent: no push service took it.";
const NOT_QUEUED = "The notification was saved, and not sent: the queue did not take it.";

/** How far a notification came, and what of that could not be written down yet: it goes with the answer. */
interface Pushed {
  progress: Progress;
  owed: Write[];
}

/**
 * Writes down what the attempt came to, then puts on the queue what may be tried again: in this order, for the queue's
 * worker goes on from what is written.
 * @returns how far it came; what cannot be put off counts as failed
 */
const settle = async (
  call: SendCall,
  { notification, shard }: SendJob,
  done: BatchResult,
  total: number,
): Promise<Pushed> => {
  const { services, timeLeft, requestId } = call;
  const { store, queue, clock } = services;
  const id = notification.notification_id;
  const { sent, expired, pending } = done;
  const progress = {
    ...{ subscriptions: total, sent, failed: done.failed, expired },
    ...{ pages: 1, pages_done: pending.length === 0 ? 1 : 0 },
  };
  const givenUp = { ...progress, failed: done.failed + pending.length, pages_done: 1 };
  const page: Page = {
    kind: "page",
    subject: { notification_id: id, shard },
    ...{ page: 0, after: LIST_START, upTo: null, planned: total, round: 0, notBefore: call.now },
  };
  const fault = (what: string) => (error: unknown) => {
    log.error(what, { request_id: requestId, error });
    return false;
  };
  const written = [notificationWrite(notification, shard, progress), roundWrite(id, 0, 0, pending, clock())];
  const isWritten = await store
    .commit(written, timeLeft)
    .then(() => true, fault("what became of a notification not kept"));
  if (!isWritten) return { progress: givenUp, owed: [notificationWrite(notification, shard, givenUp)] };
  if (pending.length === 0) return { progress, owed: [] };
  const isQueued = await queue
    .send([nextRoundMessage(page, 1, pending, clock())])
    .then(() => true, fault("retries of a push not queued"));
  if (isQueued) return { progress, owed: [] };
  await store
    .commit(progressWrite(id, shard, { failed: pending.length, pages_done: 1 }), timeLeft)
    .catch(fault("what became of a notification not kept"));
  return { progress: givenUp, owed: [] };
};

/** Pushes to a few within the request, each once. @throws Failure 500 when every attempt failed */
const pushNow = async (call: SendCall, job: SendJob, targets: readonly Target[]): Promise<Pushed> => {
  const { services, timeLeft } = call;
  const { notification, shard } = job;
  const id = notification.notification_id;
  const outgoing = {
    message: notificationMessage(notification),
    topic: pushTopic(id),
    timeoutMs: Math.min(PATIENCE, timeLeft() - RESERVE),
  };
  const since = instantOf(notification.created_at);
  const done = await deliverBatch(call, outgoing, targets, { since, round: 0 });
  if (targets.length > 0 && done.failed === targets.length) {
    const progress = { subscriptions: targets.length, failed: done.failed, pages: 1, pages_done: 1 };
    // No round is written: a retry with the same key pushes again.
    await services.store.commit([notificationWrite(notification, shard, progress)], timeLeft).catch(() => {});
    throw new HttpError(500, NOT_TAKEN);
  }
  const pushed = await settle(call, job, done, targets.length);
  if (targets.length > 0 && pushed.progress.failed === targets.length) throw new HttpError(500, NOT_TAKEN);
  return pushed;
};

/** Puts a notification to many on the queue: its plan first, so that whoever takes it up finds the same. */
const pushLater = async (call: SendCall, job: SendJob, known: Plan | null): Promise<Pushed> => {
  const { services, timeLeft, now } = call;
  const { store, queue } = services;
  const { notification, shard } = job;
  const id = notification.notification_id;
  const until = performance.now() + PATIENCE;
  const isLate = () => performance.now() > until || timeLeft() < RESERVE;
  const plan =
    known ??
    (await orHttpError(NOT_READ, () =>
      mapBusyToUnavailable(makePlan(store, { first: 0, after: LIST_START }, isLate)),
    ));
  const progress = { ...NO_PROGRESS, subscriptions: plannedCount(plan), pages: countPages(plan) };
  if (known === null) {
    const writes = [planWrite(id, 0, plan, now), notificationWrite(notification, shard, progress)];
    await orHttpError(NOT_QUEUED, () => store.commit(writes, timeLeft));
  }
  const message = { kind: "spread" as const, subject: { notification_id: id, shard }, plan: 0 };
  await orHttpError(NOT_QUEUED, () => queue.send([{ message }]));
  return { progress, owed: [] };
};

/** Pushes, or takes up where an earlier request has ended. */
const push = async (call: SendCall, job: SendJob): Promise<Pushed> => {
  const { store } = call.services;
  const id = job.notification.notification_id;
  // Of a job that this request has begun nothing is written yet.
  const isNew = job.rev === 1;
  const [plan, round, targets] = await orHttpError(NOT_READ, () =>
    mapBusyToUnavailable(
      Promise.all([
        isNew ? null : readPlan(store, id, 0),
        isNew ? null : lastRound(store, id, 0),
        few(store),
      ]),
    ),
  );
  if (plan !== null || (targets === null && round === null)) return pushLater(call, job, plan);
  const record =
    round === null
      ? null
      : await orHttpError(NOT_READ, () => mapBusyToUnavailable(notificationRecord(store, id)));
  // It was pushed, and only the answer is missing; but for one that all have failed.
  if (record !== null && (record.progress.failed < record.progress.subscriptions || targets === null)) {
    return { progress: record.progress, owed: [] };
  }
  return pushNow(call, job, targets ?? []);
};

/** Keeps the answer, for retries and in the log. What has been pushed cannot be taken back, so this never throws. */
const end = async (
  call: SendCall,
  held: Lease<SendJob>,
  answer: CommandResponse,
  owed: readonly Write[],
): Promise<void> => {
  const { now, idempotency: once, services, requestId } = call;
  const entry = call.auditLog.entry("done");
  const logged = await writesOf(entry === undefined ? {} : { log: entry }, services.store.shards());
  const kept = completeResponse(once, answer, now);
  call.auditLog.markWritten();
  try {
    await held.save({ done: true }, [...owed, ...logged, ...kept]);
  } catch (error) {
    log.error("answer to a sent notification not kept", { request_id: requestId, error });
  }
};

/**
 * Saves a notification and pushes it to everyone who has subscribed.
 * @throws Failure 500 when it could not be saved or sent; DomainError `invalid_request`, `in_progress`, `key_reused`
 */
export const sendNotification = async (call: SendCall): Promise<CommandResponse> => {
  requireVapidKeys(call.services.push);
  const wanted = newNotification(call);
  const held = await orHttpError("The notification could not be saved.", () => begin(call, wanted));
  if ("earlier" in held) return held.earlier;
  const { notification } = held.job;
  call.audit.details = { notification_id: notification.notification_id };
  try {
    const { progress, owed } = await push(call, held.job);
    const counts = countsOf(progress);
    call.audit.details = { ...call.audit.details, ...counts };
    const answer = call.respond({ notification, ...counts });
    await end(call, held, answer, owed);
    return answer;
  } catch (error) {
    // A retry with the same key may take it up at once.
    await held.release().catch(() => {});
    throw error;
  }
};
