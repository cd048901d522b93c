/** Makes one attempt to deliver a message to each of many subscriptions, and decides which to retry. */
import type { Subscription } from "../../domain/notifications/push.ts";
import { DAY, SECOND } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { Delivery, Outgoing } from "../../push/deliver.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import type { HashedSubscription, Pending } from "../../store/notifications/broadcasts.ts";
import { endedWrites } from "../../store/notifications/subscriptions.ts";

const MAX_RETRIES = 5;
/** Older messages are not tried again. Push services also keep a message for this long. */
export const MAX_AGE_MS = DAY;
const MAX_PAUSE_MS = 900 * SECOND;
const MAX_CONCURRENT_REMOVALS = 8;
/** Time reserved for the writes that follow the removal of expired subscriptions. */
const EXPIRY_RESERVE_MS = 3 * SECOND;

export interface Target extends HashedSubscription {
  /** The number of earlier attempts. */
  tries: number;
}

export interface BatchResult {
  sent: number;
  failed: number;
  expired: number;
  /** Subscriptions to retry, and when. */
  pending: Pending[];
}

/** Removes subscriptions that a push service reports as gone, unless they have been renewed or moved since. */
const removeExpired = async (
  { services: { store }, timeLeft, requestId }: WorkerContext,
  expired: readonly Subscription[],
): Promise<void> => {
  const rest = expired.values();
  const worker = async (): Promise<void> => {
    for (const subscription of rest) {
      try {
        await store.commit(await endedWrites(store.db, [subscription]), () => timeLeft() - EXPIRY_RESERVE_MS);
      } catch (error) {
        // The next push will find it expired again.
        if (!(error instanceof ConditionFailed))
          log.warn("expired subscription kept", { request_id: requestId });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(MAX_CONCURRENT_REMOVALS, expired.length) }, worker));
};

/** Logs and counts the results, without naming the subscriptions. */
const report = async (deliveries: readonly Delivery[], requestId: string): Promise<void> => {
  if (deliveries.length === 0) return;
  const counts = { sent: 0, expired: 0, failed: 0, retry: 0 };
  const reasons: Record<string, number> = {};
  for (const { result, why } of deliveries) {
    counts[result] += 1;
    reasons[why] = (reasons[why] ?? 0) + 1;
  }
  const line = { request_id: requestId, ...counts, reasons };
  // These statuses mean a rejected VAPID key, which an operator has to correct; the subscription is not the cause.
  const rejected = (reasons["401"] ?? 0) + (reasons["403"] ?? 0);
  await recordMetrics({
    PushSent: counts.sent,
    PushExpired: counts.expired,
    PushFailed: counts.failed,
    PushRetried: counts.retry,
    PushKeyRefused: rejected,
  });
  if (rejected > 0) log.error("push services reject the VAPID key", line);
  else log.info("push", line);
};

/**
 * Rounds a delay up, so that retries share few rounds: to a power of two in seconds, or above 15 minutes to a multiple
 * of 15 minutes.
 */
const roundedUp = (wait: number): number => {
  if (wait <= SECOND) return wait;
  if (wait > MAX_PAUSE_MS) return MAX_PAUSE_MS * Math.ceil(wait / MAX_PAUSE_MS);
  return Math.min(MAX_PAUSE_MS, SECOND * 2 ** Math.ceil(Math.log2(wait / SECOND)));
};

/** Decides when to retry a delivery, with one random pause for each number of tries. @returns milliseconds from now */
const retrySchedule = (firstPauseMs: number, round: number) => {
  const jitterByTries = new Map<number, number>();
  return ({ tried, wait }: Delivery, tries: number): number => {
    if (!tried)
      return Math.max(roundedUp(wait), round === 0 ? 0 : Math.min(MAX_PAUSE_MS, SECOND * 2 ** round));
    // Full jitter over a range that grows fourfold with each try.
    const jitter = jitterByTries.get(tries) ?? Math.random() * firstPauseMs * 4 ** (tries - 1);
    jitterByTries.set(tries, jitter);
    return Math.max(roundedUp(wait), jitter);
  };
};

/**
 * Delivers a message, once to each target, and removes expired subscriptions.
 * @param since when the event happened or the notification was to be sent, in milliseconds since 1970
 * @param round the number of rounds before this one
 */
export const deliverBatch = async (
  run: WorkerContext,
  outgoing: Outgoing,
  targets: readonly Target[],
  { since, round }: { since: number; round: number },
): Promise<BatchResult> => {
  const { services, requestId } = run;
  const result: BatchResult = { sent: 0, failed: 0, expired: 0, pending: [] };
  if (targets.length === 0) return result;
  const subscriptions = targets.map(({ subscription }) => subscription);
  const { deliver, withVapidKeys } = await import("./lazyPush.ts");
  const deliveries = await deliver(subscriptions, outgoing, await withVapidKeys(services.push));
  await report(deliveries, requestId);
  const now = services.clock();
  const retryDelay = retrySchedule(services.retryPauseMs, round);
  for (const [n, target] of targets.entries()) {
    const delivery = deliveries[n];
    if (delivery === undefined) throw new Error("a delivery is missing");
    if (delivery.result !== "retry") {
      result[delivery.result] += 1;
      continue;
    }
    const tries = target.tries + (delivery.tried ? 1 : 0);
    const at = now + retryDelay(delivery, tries);
    if (tries > MAX_RETRIES || at > since + MAX_AGE_MS) result.failed += 1;
    else result.pending.push({ hash: target.hash, tries, at });
  }
  const expired = deliveries.flatMap(({ result, subscription }) =>
    result === "expired" ? [subscription] : [],
  );
  await removeExpired(run, expired);
  return result;
};
