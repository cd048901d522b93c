/**
 * Broadcasts: one message to every subscription, a game master's notification or an event of the game. They are
 * planned in pages, and each page goes over the queue, round after round, until nothing of it is left.
 */
import type { Game } from "../../domain/clock.ts";
import { type GameEvent, textFor } from "../../domain/gameEvents.ts";
import { isDelivered } from "../../domain/push.ts";
import { instantOf, rfc3339, SECOND } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import type { Outgoing } from "../../push/deliver.ts";
import { eventMessage, notificationMessage, pushTopic } from "../../push/message.ts";
import type { Page, QueueMessage, Subject } from "../../queue/messages.ts";
import type { Outbound } from "../../queue/queue.ts";
import {
  endWrite,
  LIST_START,
  lastRound,
  makePlan,
  type Pending,
  type Plan,
  plannedCount,
  planWrite,
  readPlan,
  roundWrite,
  subscriptionsBetween,
} from "../../store/broadcasts.ts";
import { writesOf } from "../../store/changes.ts";
import { notificationRecord, progressWrite } from "../../store/notifications.ts";
import type { Store } from "../../store/store.ts";
import { type BatchResult, deliverBatch, type Target } from "./deliverBatch.ts";
import { countPages, nextRoundMessage } from "./pages.ts";

/** Time that a worker keeps for what comes after the push, in milliseconds. */
export const RESERVE_MS = 8 * SECOND;
/** What comes this much too early is waited for; milliseconds. */
const SHORT_WAIT = SECOND;

const NOTHING: BatchResult = { sent: 0, failed: 0, expired: 0, pending: [] };

/** The name of a broadcast. */
const idOf = (subject: Subject): string => ("event" in subject ? subject.event.id : subject.notification_id);

/** How far a notification has come is counted with it; nobody asks that of an event. */
const counted = (subject: Subject, by: Parameters<typeof progressWrite>[2]): Write[] =>
  "event" in subject ? [] : progressWrite(subject.notification_id, subject.shard, by);

/** The messages for a plan's pages, and for the plan after it. */
const messagesOf = (subject: Subject, number: number, plan: Plan, now: number): Outbound[] => {
  const starts = [plan.after, ...plan.pages.map(({ upTo }) => upTo ?? "")];
  const pages = plan.pages.map(({ upTo, planned }, at): Outbound => {
    const page = plan.first + at;
    const after = starts[at] ?? LIST_START;
    return { message: { kind: "page", subject, page, after, upTo, planned, round: 0, notBefore: now } };
  });
  const rest: QueueMessage = { kind: "spread", subject, plan: number + 1 };
  return plan.rest === null ? pages : [...pages, { message: rest }];
};

/** Plans what the last plan left. @returns `null` when there is nothing left to plan */
const planNext = async (run: WorkerContext, subject: Subject, number: number): Promise<Plan | null> => {
  const { services, timeLeft } = run;
  const { store, clock } = services;
  const id = idOf(subject);
  const before = number === 0 ? null : await readPlan(store, id, number - 1);
  const from =
    number === 0
      ? { first: 0, after: LIST_START }
      : before === null || before.rest === null
        ? null
        : { first: before.first + before.pages.length, after: before.rest };
  if (from === null) return null;
  const plan = await makePlan(store, from, () => timeLeft() < RESERVE_MS);
  const more = { subscriptions: plannedCount(plan), pages: countPages(plan) - (number === 0 ? 0 : 1) };
  try {
    await store.commit([planWrite(id, number, plan, clock()), ...counted(subject, more)], timeLeft);
    return plan;
  } catch (error) {
    const planned = error instanceof ConditionFailed ? await readPlan(store, id, number) : null;
    // Another has planned it meanwhile; where nobody has, the message comes again.
    if (planned === null) throw error;
    return planned;
  }
};

/** Puts the pages of a plan on the queue; makes the plan where there is none yet. Twice is harmless. */
export const queuePages = async (run: WorkerContext, subject: Subject, number: number): Promise<void> => {
  const { store, queue, clock } = run.services;
  // The number of shards comes with it.
  await store.game();
  const plan = (await readPlan(store, idOf(subject), number)) ?? (await planNext(run, subject, number));
  if (plan !== null) await queue.send(messagesOf(subject, number, plan, clock()));
};

/** What a page's subscriptions are told; `to` leaves out those whom it does not concern. */
interface Said {
  outgoing: Omit<Outgoing, "timeoutMs">;
  since: number;
  to: readonly Target[];
}

const notificationSaid = async (
  store: Store,
  id: string,
  targets: readonly Target[],
): Promise<Said | null> => {
  const record = await notificationRecord(store, id);
  if (record === null) return null;
  const { notification } = record;
  const outgoing = { message: notificationMessage(notification), topic: pushTopic(id) };
  return { outgoing, since: instantOf(notification.created_at), to: targets };
};

const eventSaid = async (
  { services: { store, clock } }: WorkerContext,
  game: Game,
  event: GameEvent,
  targets: readonly Target[],
): Promise<Said | null> => {
  const ids = new Set(targets.map(({ subscription }) => subscription.player_id));
  const listeners = await store.listeners(event.actor === null ? ids : ids.union(new Set([event.actor])));
  const actor = listeners.get(event.actor ?? "")?.alias ?? null;
  const heard = targets.flatMap((target) => {
    const listener = listeners.get(target.subscription.player_id);
    const words = listener === undefined ? null : textFor(event, listener, { actor, game, now: clock() });
    return words === null ? [] : [{ target, words }];
  });
  const [first] = heard;
  if (first === undefined) return null;
  // What is broadcast says the same to everybody who hears it.
  const outgoing = { message: eventMessage(event, first.words), topic: pushTopic(event.id) };
  return { outgoing, since: instantOf(event.at), to: heard.map(({ target }) => target) };
};

/** Tells the log of the end of a notification that went over the queue, once. */
const tellEnd = async (run: WorkerContext, subject: Subject): Promise<void> => {
  if ("event" in subject) return;
  const { services, requestId, timeLeft } = run;
  const { store, clock } = services;
  const id = subject.notification_id;
  const record = await notificationRecord(store, id);
  if (record === null || !isDelivered(record.progress)) return;
  const now = clock();
  const { subscriptions, sent, failed, expired } = record.progress;
  const log = {
    log_id: commandContext(services, now).newId(),
    at: rfc3339(now),
    action: "deliver",
    actor: record.notification.player_id,
    target: null,
    request_id: requestId,
    outcome: "done",
    details: { notification_id: id, subscriptions, sent, failed, expired },
  };
  try {
    await store.commit([endWrite(id, now), ...(await writesOf({ log }, store.shards()))], timeLeft);
  } catch (error) {
    // It has been told.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};

/** Those of a page whom this round is for, and those who are to be left for a later one. */
const targetsOf = async (
  store: Store,
  { after, upTo }: Page,
  pending: readonly Pending[] | null,
  now: number,
): Promise<{ targets: Target[]; later: Pending[] }> => {
  const all = await subscriptionsBetween(store, after, upTo);
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

/** Waits; never for less, as timers sometimes do. */
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.ceil(milliseconds) + 1);
  });

/** Whether the time of a message has come: a short while is waited for, for a longer one it is passed on. */
export const waitOrRequeue = async (
  { services: { queue, clock } }: WorkerContext,
  message: Extract<QueueMessage, { notBefore: number }>,
): Promise<boolean> => {
  const early = message.notBefore - clock();
  if (early > SHORT_WAIT) {
    await queue.send([{ message, delay: early }]);
    return false;
  }
  if (early > 0) await pause(early);
  return true;
};

/**
 * Works on a round of a page. A message that comes again after its round was written delivers nothing: it sees to it
 * that what follows goes on.
 */
export const deliverPage = async (run: WorkerContext, page: Page): Promise<void> => {
  const { services, timeLeft } = run;
  const { store, queue, clock } = services;
  const { subject, round } = page;
  if (!(await waitOrRequeue(run, page))) return;

  const id = idOf(subject);
  // The number of shards comes with it.
  const game = await store.game();
  const last = await lastRound(store, id, page.page);
  // Whoever has the message of a later round sees to what follows that.
  if (last !== null && last.round > round) return;
  if (last !== null && last.round === round) {
    if (last.pending.length > 0)
      return queue.send([nextRoundMessage(page, last.round + 1, last.pending, clock())]);
    return tellEnd(run, subject);
  }
  if ((last?.round ?? -1) !== round - 1) throw new Error("an earlier round of this page is not written yet");

  const { targets, later } = await targetsOf(store, page, last?.pending ?? null, clock());
  const said =
    "event" in subject
      ? await eventSaid(run, game, subject.event, targets)
      : await notificationSaid(store, subject.notification_id, targets);
  const patience = timeLeft() - RESERVE_MS;
  const done =
    said === null
      ? NOTHING
      : await deliverBatch(run, { ...said.outgoing, timeoutMs: patience }, said.to, {
          since: said.since,
          round,
        });
  const left = [...done.pending, ...later];
  const expectedNow = round === 0 ? page.planned : (last?.pending.length ?? 0) - later.length;
  const by = {
    // Those who have subscribed or unsubscribed since.
    subscriptions: targets.length - expectedNow,
    sent: done.sent,
    failed: done.failed,
    expired: done.expired,
    pages_done: left.length === 0 ? 1 : 0,
  };
  try {
    await store.commit(
      [
        roundWrite(id, page.page, round, left, clock()),
        // Of a notification that is gone, nothing is counted.
        ...(said === null ? [] : counted(subject, by)),
      ],
      timeLeft,
    );
  } catch (error) {
    // Another who got the same message was sooner, but may have died before it put the rest on the queue.
    if (error instanceof ConditionFailed) return deliverPage(run, page);
    throw error;
  }
  if (left.length > 0) return queue.send([nextRoundMessage(page, round + 1, left, clock())]);
  return tellEnd(run, subject);
};
