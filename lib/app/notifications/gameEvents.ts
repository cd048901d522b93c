/** Pushes game events to single players. */
import { secondsLeft } from "../../domain/game/clock.ts";
import { instantOf } from "../../domain/time.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { eventPush } from "../../push/message.ts";
import type { Announcement, QueueMessage } from "../../queue/messages.ts";
import type { Outbound } from "../../queue/queue.ts";
import { endpointHash, subscriptionsOf } from "../../store/notifications/subscriptions.ts";
import { deliverBatch } from "./deliverBatch.ts";
import { WORKER_RESERVE_MS, waitOrRequeue } from "./messageTiming.ts";
import { type RenderState, renderEvent } from "./renderEvent.ts";

/** The undelivered part of an announcement, and when to retry it, in milliseconds since 1970. */
interface Retry {
  announcement: Announcement;
  at: number;
}

const groupsBy = <T>(all: readonly T[], keyOf: (one: T) => string | number): T[][] => [
  ...Map.groupBy(all, keyOf).values(),
];

/** Pushes one event to one player. @returns the retries */
const pushEvent = async (
  run: WorkerContext,
  announcement: Announcement,
  state: RenderState,
): Promise<Retry[]> => {
  const { services, timeLeft } = run;
  const { store, clock } = services;
  const { event, to, tries, round, pending } = announcement;
  const text = renderEvent(event, to, state);
  if (text === null) return [];
  const targets = (await subscriptionsOf(store.db, to))
    .map((subscription) => ({ subscription, hash: endpointHash(subscription.endpoint), tries }))
    .filter(({ hash }) => pending === undefined || pending.includes(hash));
  if (targets.length === 0) return [];
  const outgoing = {
    ...eventPush(event, text),
    timeoutMs: timeLeft() - WORKER_RESERVE_MS,
    ...(event.deadline === undefined ? {} : { ttl: secondsLeft(state.game, event.deadline, clock()) }),
  };
  const result = await deliverBatch(run, outgoing, targets, { since: instantOf(event.at), round });
  return groupsBy(result.pending, (one) => `${one.tries} ${one.at}`).flatMap((group) => {
    const [first] = group;
    if (first === undefined) return [];
    const hashes = group.map(({ hash }) => hash);
    const rest = { event, to, tries: first.tries, round: round + 1, pending: hashes };
    return [{ announcement: rest, at: first.at }];
  });
};

/** Pushes game events to the players that they concern, and queues retries of failed pushes. */
export const pushGameEvents = async (
  run: WorkerContext,
  message: Extract<QueueMessage, { kind: "announce" }>,
): Promise<void> => {
  const { store, queue, clock } = run.services;
  const { announcements } = message;
  if (!(await waitOrRequeue(run, message))) return;
  const ids = announcements.flatMap(({ to, event: { actor } }) => (actor === null ? [to] : [to, actor]));
  const [game, listeners] = await Promise.all([store.game(), store.listeners(ids, { consistent: true })]);
  const state = { listeners, game, clock };
  const retries = await Promise.all(announcements.map((announcement) => pushEvent(run, announcement, state)));
  // Each retry has its own time, so that a slow push service delays only its own players.
  await queue.send(
    groupsBy(retries.flat(), ({ at }) => at).map((group): Outbound => {
      const at = group[0]?.at ?? clock();
      const rest = group.map(({ announcement }) => announcement);
      return { message: { kind: "announce", announcements: rest, notBefore: at }, delay: at - clock() };
    }),
  );
};
