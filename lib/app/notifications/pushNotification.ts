/** Pushes a notification: within the request to a few subscriptions, through the queue to many. */
import { Fault, orFault } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import { type DeliveryProgress, hidesDelivery } from "../../domain/notifications/push.ts";
import { instantOf, SECOND } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { SendJob } from "../../jobs/sendJob.ts";
import { notificationPush } from "../../push/message.ts";
import type { PushPage } from "../../queue/messages.ts";
import { log } from "../../runtime/log.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
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
} from "../../store/notifications/broadcasts.ts";
import {
  notificationRecord,
  notificationWrite,
  progressWrite,
} from "../../store/notifications/notifications.ts";
import { subscriptionEntries } from "../../store/notifications/subscriptions.ts";
import type { Store } from "../../store/store.ts";
import { addressedTargets } from "./audience.ts";
import { type BatchResult, deliverBatch, type Target } from "./deliverBatch.ts";
import { countPages, nextRoundMessage } from "./pages.ts";
import type { SendCall } from "./sendCall.ts";

/** With more subscriptions than this, a notification goes through the queue. */
const MAX_TARGETS_IN_REQUEST = 200;
/** The maximum time that a request spends on pushing or planning. */
const MAX_PUSH_MS = 8 * SECOND;
/** Time reserved for the work after the push. */
const AFTER_PUSH_RESERVE_MS = 4 * SECOND;

export const NO_PROGRESS: DeliveryProgress = {
  subscriptions: 0,
  sent: 0,
  failed: 0,
  expired: 0,
  pages: 0,
  pages_done: 0,
};

const NOT_READ = "the subscriptions could not be read";
const NOT_ACCEPTED = "no push service accepted it";
const NOT_QUEUED = "the queue did not accept it";

/** What a game master is told who would otherwise send again what is in everybody's mail already. */
const notPushed = ({ notification: { also_email: isMailed } }: SendJob, why: string): string =>
  isMailed === true
    ? `The notification goes out by mail, but is not pushed: ${why}.`
    : `The notification was saved but not sent: ${why}.`;

/** The progress after the push, and its failed writes, which are repeated in the transaction that ends the job. */
interface PushResult {
  progress: DeliveryProgress;
  unsavedWrites: Write[];
}

/** All subscriptions, regardless of the audience; `null` if there are too many for one request. */
const readFewTargets = async (store: Store, game: Game): Promise<Target[] | null> => {
  const found: Target[] = [];
  for await (const entry of subscriptionEntries(store, game, MAX_TARGETS_IN_REQUEST + 1)) {
    if (found.length === MAX_TARGETS_IN_REQUEST) return null;
    found.push({ ...withHash(entry), tries: 0 });
  }
  return found;
};

/**
 * Stores the result of the push, then queues its retries. The order matters, because the queue's worker continues from
 * the stored result.
 * @returns the progress, in which retries that could not be queued count as failed
 */
const saveResult = async (
  call: SendCall,
  { notification, shard }: SendJob,
  result: BatchResult,
  total: number,
): Promise<PushResult> => {
  const { services, timeLeft, requestId } = call;
  const { store, queue, clock } = services;
  const id = notification.notification_id;
  const { sent, expired, failed, pending } = result;
  const pages = { pages: 1, pages_done: pending.length === 0 ? 1 : 0 };
  const progress = { subscriptions: total, sent, failed, expired, ...pages };
  const withoutRetries = { ...progress, failed: failed + pending.length, pages_done: 1 };
  const page: PushPage = {
    kind: "page",
    subject: { notification_id: id, shard },
    page: 0,
    after: LIST_START,
    upTo: null,
    planned: total,
    round: 0,
    notBefore: call.now,
  };
  const logFailure = (message: string) => (error: unknown) => {
    log.error(message, { request_id: requestId, error });
    return false;
  };
  const isSaved = await store
    .commit(
      [notificationWrite(notification, shard, progress), roundWrite(id, 0, 0, pending, clock())],
      timeLeft,
    )
    .then(() => true, logFailure("result of a push not stored"));
  if (!isSaved) {
    const unsavedWrites = [notificationWrite(notification, shard, withoutRetries)];
    return { progress: withoutRetries, unsavedWrites };
  }
  if (pending.length === 0) return { progress, unsavedWrites: [] };
  const isQueued = await queue
    .send([nextRoundMessage(page, 1, pending, clock())])
    .then(() => true, logFailure("retries of a push not queued"));
  if (isQueued) return { progress, unsavedWrites: [] };
  await store
    .commit(progressWrite(id, shard, { failed: pending.length, pages_done: 1 }), timeLeft)
    .catch(logFailure("result of a push not stored"));
  return { progress: withoutRetries, unsavedWrites: [] };
};

/** Pushes to each subscription within the request. @throws Fault when every push failed */
const pushInRequest = async (
  call: SendCall,
  job: SendJob,
  targets: readonly Target[],
): Promise<PushResult> => {
  const { services, timeLeft } = call;
  const { notification, shard } = job;
  const outgoing = {
    ...notificationPush(notification),
    timeoutMs: Math.min(MAX_PUSH_MS, timeLeft() - AFTER_PUSH_RESERVE_MS),
  };
  const since = instantOf(notification.created_at);
  const result = await deliverBatch(call, outgoing, targets, { since, round: 0 });
  // An error would tell that the audience is not empty.
  const isTold = !hidesDelivery(notification.audience, call.player, call.game, call.now);
  if (isTold && targets.length > 0 && result.failed === targets.length) {
    const progress = { subscriptions: targets.length, failed: result.failed, pages: 1, pages_done: 1 };
    // No round is stored, so that a retry with the same key pushes again.
    await services.store.commit([notificationWrite(notification, shard, progress)], timeLeft).catch(() => {});
    throw new Fault(notPushed(job, NOT_ACCEPTED));
  }
  const saved = await saveResult(call, job, result, targets.length);
  if (isTold && targets.length > 0 && saved.progress.failed === targets.length)
    throw new Fault(notPushed(job, NOT_ACCEPTED));
  return saved;
};

/**
 * Queues a notification to many subscriptions. Stores its plan first, so that all processes use the same plan.
 * @param known the plan that an earlier request has stored
 */
const pushThroughQueue = async (call: SendCall, job: SendJob, known: Plan | null): Promise<PushResult> => {
  const { game, services, timeLeft, now } = call;
  const { store, queue } = services;
  const { notification, shard } = job;
  const id = notification.notification_id;
  const until = performance.now() + MAX_PUSH_MS;
  const isLate = () => performance.now() > until || timeLeft() < AFTER_PUSH_RESERVE_MS;
  const plan =
    known ??
    (await orFault(notPushed(job, NOT_READ), () =>
      mapBusyToUnavailable(makePlan(store, game, { first: 0, after: LIST_START }, isLate)),
    ));
  const progress = { ...NO_PROGRESS, subscriptions: plannedCount(plan), pages: countPages(plan) };
  if (known === null) {
    const writes = [planWrite(id, 0, plan, now), notificationWrite(notification, shard, progress)];
    await orFault(notPushed(job, NOT_QUEUED), () => store.commit(writes, timeLeft));
  }
  const message = { kind: "plan_broadcast" as const, subject: { notification_id: id, shard }, plan: 0 };
  await orFault(notPushed(job, NOT_QUEUED), () => queue.send([{ message }]));
  return { progress, unsavedWrites: [] };
};

/**
 * Pushes a notification, or continues the job of an earlier request with the same key.
 * @throws Fault when nothing was sent
 */
export const pushNotification = async (call: SendCall, job: SendJob): Promise<PushResult> => {
  const { game } = call;
  const { store } = call.services;
  const id = job.notification.notification_id;
  // A job that this request has just started has neither a plan nor a round.
  const isNew = job.rev === 1;
  const [plan, round, targets] = await orFault(notPushed(job, NOT_READ), () =>
    mapBusyToUnavailable(
      Promise.all([
        isNew ? null : readPlan(store, id, 0),
        isNew ? null : lastRound(store, id, 0),
        readFewTargets(store, game),
      ]),
    ),
  );
  if (plan !== null || (targets === null && round === null)) return pushThroughQueue(call, job, plan);
  const record =
    round === null
      ? null
      : await orFault(notPushed(job, NOT_READ), () =>
          mapBusyToUnavailable(notificationRecord(store, game, id)),
        );
  // The notification was pushed and only its response is missing, unless every push failed.
  if (record !== null && (record.progress.failed < record.progress.subscriptions || targets === null)) {
    return { progress: record.progress, unsavedWrites: [] };
  }
  const addressed = await orFault(notPushed(job, NOT_READ), () =>
    mapBusyToUnavailable(addressedTargets(call.services, game, job.notification, targets ?? [])),
  );
  return pushInRequest(call, job, addressed);
};
