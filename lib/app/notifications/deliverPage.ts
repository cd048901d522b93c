/** Delivers one page of a broadcast, one round at a time. */
import type { GameEvent } from "../../domain/events/gameEvents.ts";
import type { Game } from "../../domain/game/game.ts";
import { isDelivered, sendTime } from "../../domain/notifications/push.ts";
import { instantOf } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { Outgoing } from "../../push/deliver.ts";
import { eventPush, notificationPush } from "../../push/message.ts";
import type { PushPage, Subject } from "../../queue/messages.ts";
import { writesOf } from "../../store/changes.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import {
  endWrite,
  lastRound,
  type Pending,
  roundWrite,
  subscriptionsBetween,
} from "../../store/notifications/broadcasts.ts";
import { notificationRecord } from "../../store/notifications/notifications.ts";
import type { Store } from "../../store/store.ts";
import { addressedTargets } from "./audience.ts";
import { type BatchResult, deliverBatch, MAX_AGE_MS, type Target } from "./deliverBatch.ts";
import { WORKER_RESERVE_MS, waitOrRequeue } from "./messageTiming.ts";
import { broadcastId, nextRoundMessage, progressWrites } from "./pages.ts";
import { renderEvent } from "./renderEvent.ts";

const NOTHING_DELIVERED: BatchResult = { sent: 0, failed: 0, expired: 0, pending: [] };

/** The message of a broadcast, and the subscriptions of a page that receive it. */
interface PageMessage {
  outgoing: Omit<Outgoing, "timeoutMs">;
  /** When the event happened, or the notification was to be sent, in milliseconds since 1970. */
  since: number;
  targets: readonly Target[];
}

const notificationToTargets = async (
  { services }: WorkerContext,
  game: Game,
  id: string,
  targets: readonly Target[],
): Promise<PageMessage | null> => {
  const record = await notificationRecord(services.store, game, id);
  if (record === null) return null;
  const { notification } = record;
  return {
    outgoing: notificationPush(notification),
    since: instantOf(sendTime(notification)),
    targets: await addressedTargets(services, game, notification, targets),
  };
};

const eventToTargets = async (
  { services: { store, clock } }: WorkerContext,
  game: Game,
  event: GameEvent,
  targets: readonly Target[],
): Promise<PageMessage | null> => {
  const ids = new Set(targets.map(({ subscription }) => subscription.player_id));
  const listeners = await store.listeners(event.actor === null ? ids : ids.union(new Set([event.actor])));
  const rendered = targets.flatMap((target) => {
    const text = renderEvent(event, target.subscription.player_id, { listeners, game, clock });
    return text === null ? [] : [{ target, text }];
  });
  const [first] = rendered;
  if (first === undefined) return null;
  // The text of a broadcast event is the same for every player.
  const outgoing = eventPush(event, first.text);
  return { outgoing, since: instantOf(event.at), targets: rendered.map(({ target }) => target) };
};

/** Delivers a message to its targets. A game master's that is too late, because the service was stopped, is in the inbox alone. */
const deliverMessage = async (
  run: WorkerContext,
  { subject, round }: PushPage,
  { outgoing, since, targets }: PageMessage,
): Promise<BatchResult> => {
  const { services, timeLeft } = run;
  const isTooLate = !("event" in subject) && services.clock() > since + MAX_AGE_MS;
  if (isTooLate) return { ...NOTHING_DELIVERED, failed: targets.length };
  const timeoutMs = timeLeft() - WORKER_RESERVE_MS;
  return deliverBatch(run, { ...outgoing, timeoutMs }, targets, { since, round });
};

/** Logs, once, that a notification has been delivered completely through the queue. */
const logEnd = async (run: WorkerContext, game: Game, subject: Subject): Promise<void> => {
  if ("event" in subject) return;
  const { services, requestId, timeLeft } = run;
  const { store, clock } = services;
  const id = subject.notification_id;
  const record = await notificationRecord(store, game, id);
  if (record === null || !isDelivered(record.progress)) return;
  const now = clock();
  const { subscriptions, sent, failed, expired } = record.progress;
  const log = newLogEntry(commandContext(services, now), requestId, {
    action: "deliver",
    actor: record.notification.player_id,
    details: { notification_id: id, title: record.notification.title, subscriptions, sent, failed, expired },
  });
  try {
    await store.commit([endWrite(id, now), ...(await writesOf({ log, basedOn: game }))], timeLeft);
  } catch (error) {
    // The end has been logged already.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};

/** A page's subscriptions that are due in this round, and those that are due later. */
const dueTargets = async (
  store: Store,
  game: Game,
  { after, upTo }: PushPage,
  pending: readonly Pending[] | null,
  now: number,
): Promise<{ targets: Target[]; later: Pending[] }> => {
  const all = await subscriptionsBetween(store, game, after, upTo);
  if (pending === null) return { targets: all.map((one) => ({ ...one, tries: 0 })), later: [] };
  const due = new Map(pending.filter(({ at }) => at <= now).map((one) => [one.hash, one]));
  return {
    targets: all.flatMap((one) => {
      const { tries } = due.get(one.hash) ?? {};
      return tries === undefined ? [] : [{ ...one, tries }];
    }),
    later: pending.filter(({ hash }) => !due.has(hash)),
  };
};

/**
 * Delivers a round of a page. If the round is stored already, this delivers nothing and only ensures that the next
 * round is queued.
 * @throws Error if an earlier round of the page is not stored yet, so that the queue delivers the message again
 */
export const deliverPage = async (run: WorkerContext, page: PushPage): Promise<void> => {
  const { services, timeLeft } = run;
  const { store, queue, clock } = services;
  const { subject, round } = page;
  if (!(await waitOrRequeue(run, page))) return;

  const id = broadcastId(subject);
  const game = await store.game();
  const last = await lastRound(store, id, page.page);
  // The message of the later round continues the page.
  if (last !== null && last.round > round) return;
  if (last !== null && last.round === round) {
    if (last.pending.length === 0) return logEnd(run, game, subject);
    return queue.send([nextRoundMessage(page, last.round + 1, last.pending, clock())]);
  }
  if ((last?.round ?? -1) !== round - 1) throw new Error("an earlier round of this page is not written yet");

  const { targets, later } = await dueTargets(store, game, page, last?.pending ?? null, clock());
  const message =
    "event" in subject
      ? await eventToTargets(run, game, subject.event, targets)
      : await notificationToTargets(run, game, subject.notification_id, targets);
  const result = message === null ? NOTHING_DELIVERED : await deliverMessage(run, page, message);
  const pending = [...result.pending, ...later];
  const expected = round === 0 ? page.planned : (last?.pending.length ?? 0) - later.length;
  const added = {
    // The change since the last round or the plan: new and removed subscriptions, and those outside the audience.
    subscriptions: (message?.targets ?? targets).length - expected,
    sent: result.sent,
    failed: result.failed,
    expired: result.expired,
    pages_done: pending.length === 0 ? 1 : 0,
  };
  try {
    await store.commit(
      [
        roundWrite(id, page.page, round, pending, clock()),
        // A deleted notification has no progress.
        ...(message === null ? [] : progressWrites(subject, added)),
      ],
      timeLeft,
    );
  } catch (error) {
    // Another worker stored this round first, but may have died before it queued the next one.
    if (error instanceof ConditionFailed) return deliverPage(run, page);
    throw error;
  }
  if (pending.length > 0) return queue.send([nextRoundMessage(page, round + 1, pending, clock())]);
  return logEnd(run, game, subject);
};
