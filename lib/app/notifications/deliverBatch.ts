/** One attempt at delivering a message to many subscriptions, and what is to be done with each of them after it. */
import type { Subscription } from "../../domain/push.ts";
import { DAY, SECOND } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { Delivery, Outgoing } from "../../push/deliver.ts";
import { log } from "../../runtime/log.ts";
import { recordMetrics } from "../../runtime/metrics.ts";
import type { HashedSubscription, Pending } from "../../store/broadcasts.ts";
import { unsubscribeWrites } from "../../store/subscriptions.ts";

/** So often a message is tried again. */
const MOST_RETRIES = 5;
/** How long a message is worth delivering; push services keep it for as long. */
const WORTH = DAY;
/** What is left alone, or was not reached in time, is taken up at the latest after this. */
const LONGEST_PAUSE = 900 * SECOND;
const REMOVALS_AT_ONCE = 8;
/** Time that removing leaves for what is written after it, in milliseconds. */
const RESERVE = 3 * SECOND;

/** A subscription that has been tried so often. */
export interface Target extends HashedSubscription {
  tries: number;
}

/** What an attempt came to. */
export interface BatchResult {
  sent: number;
  failed: number;
  expired: number;
  /** Those that may be tried again, and when. */
  pending: Pending[];
}

/** Removes subscriptions that a push service knows no more, unless they have been renewed or moved since. */
const removeExpired = async (
  { services: { store }, timeLeft, requestId }: WorkerContext,
  expired: readonly Subscription[],
): Promise<void> => {
  const rest = expired.values();
  const worker = async (): Promise<void> => {
    for (const subscription of rest) {
      try {
        await store.commit(unsubscribeWrites([subscription]), () => timeLeft() - RESERVE);
      } catch (error) {
        // It is found again at the next notification.
        if (!(error instanceof ConditionFailed))
          log.warn("expired subscription kept", { request_id: requestId });
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(REMOVALS_AT_ONCE, expired.length) }, worker));
};

/** Tells the log and the metrics what became of how many; which ones is nobody's business. */
const tell = async (deliveries: readonly Delivery[], requestId: string): Promise<void> => {
  if (deliveries.length === 0) return;
  const counts = { sent: 0, expired: 0, failed: 0, retry: 0 };
  const reasons: Record<string, number> = {};
  for (const { result, why } of deliveries) {
    counts[result] += 1;
    reasons[why] = (reasons[why] ?? 0) + 1;
  }
  const line = { request_id: requestId, ...counts, reasons };
  // A service that refuses our key does so whatever the subscription is: it is for the deployment to mend.
  const refused = (reasons["401"] ?? 0) + (reasons["403"] ?? 0);
  await recordMetrics({
    PushSent: counts.sent,
    PushExpired: counts.expired,
    PushFailed: counts.failed,
    PushRetried: counts.retry,
    PushKeyRefused: refused,
  });
  if (refused > 0) log.error("push services refuse our VAPID key", line);
  else log.info("push", line);
};

/**
 * Rounded up, so that what may be tried again is taken up in few rounds: to a power of two of seconds, and beyond a
 * quarter of an hour to a multiple of that.
 */
const roundedUp = (wait: number): number => {
  if (wait <= SECOND) return wait;
  if (wait > LONGEST_PAUSE) return LONGEST_PAUSE * Math.ceil(wait / LONGEST_PAUSE);
  return Math.min(LONGEST_PAUSE, SECOND * 2 ** Math.ceil(Math.log2(wait / SECOND)));
};

/** When what was put off is taken up: each time with a draw of its own, so that not all come back at once. */
const schedule = (firstPause: number, round: number) => {
  const drawn = new Map<number, number>();
  return ({ tried, wait }: Delivery, tries: number): number => {
    if (!tried)
      return Math.max(roundedUp(wait), round === 0 ? 0 : Math.min(LONGEST_PAUSE, SECOND * 2 ** round));
    // Full jitter, four times as far each time.
    const jitter = drawn.get(tries) ?? Math.random() * firstPause * 4 ** (tries - 1);
    drawn.set(tries, jitter);
    return Math.max(roundedUp(wait), jitter);
  };
};

/**
 * Delivers a message, once to each target. Those that have expired are removed.
 * @param since when what it tells of happened, in milliseconds since 1970: after a day nothing is tried again
 * @param round how often the rest of these targets has been taken up
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
  await tell(deliveries, requestId);
  const now = services.clock();
  const putOff = schedule(services.retryPauseMs, round);
  for (const [n, target] of targets.entries()) {
    const delivery = deliveries[n];
    if (delivery === undefined) throw new Error("a delivery is missing");
    if (delivery.result !== "retry") {
      result[delivery.result] += 1;
      continue;
    }
    const tries = target.tries + (delivery.tried ? 1 : 0);
    const at = now + putOff(delivery, tries);
    if (tries > MOST_RETRIES || at > since + WORTH) result.failed += 1;
    else result.pending.push({ hash: target.hash, tries, at });
  }
  const gone = deliveries.flatMap(({ result, subscription }) => (result === "expired" ? [subscription] : []));
  await removeExpired(run, gone);
  return result;
};
