/** The queue's work: broadcasts page by page, and what players are told of what has befallen them. */
import type { Game } from "../../domain/clock.ts";
import { type GameEvent, textFor } from "../../domain/gameEvents.ts";
import { instantOf } from "../../domain/time.ts";
import { secondsLeft } from "../../domain/transitions.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { eventMessage, pushTopic } from "../../push/message.ts";
import type { Announcement, QueueMessage } from "../../queue/messages.ts";
import type { Outbound } from "../../queue/queue.ts";
import type { ListenerEntry } from "../../store/items.ts";
import { endpointHash, subscriptionsOf } from "../../store/subscriptions.ts";
import { RESERVE_MS, waitOrRequeue } from "./broadcast.ts";
import { deliverBatch } from "./deliverBatch.ts";

/** What must not wait until a telephone is next looked at. */
const isUrgent = ({ what }: GameEvent): boolean => what === "tagged" || what === "starving";

/** What is left of an announcement, and when that may be tried again. */
interface Left {
  announcement: Announcement;
  at: number;
}

/** Those that are equal in this, together. */
const grouped = <T>(all: readonly T[], by: (one: T) => string | number): T[][] => [
  ...Map.groupBy(all, by).values(),
];

/** Tells one player of one event. @returns what is left to be tried again, by when and after how many tries */
const announce = async (
  run: WorkerContext,
  announcement: Announcement,
  heard: { listener: ListenerEntry | undefined; actor: string | null; game: Game },
): Promise<Left[]> => {
  const { services, timeLeft } = run;
  const { event, to, tries, round, pending } = announcement;
  const { listener, actor, game } = heard;
  const words =
    listener === undefined ? null : textFor(event, listener, { actor, game, now: services.clock() });
  if (words === null) return [];
  const own = await subscriptionsOf(services.store.db, to);
  const targets = own
    .map((subscription) => ({ subscription, hash: endpointHash(subscription.endpoint), tries }))
    .filter(({ hash }) => pending === undefined || pending.includes(hash));
  if (targets.length === 0) return [];
  const outgoing = {
    message: eventMessage(event, words),
    topic: pushTopic(event.id),
    urgency: isUrgent(event) ? ("high" as const) : ("normal" as const),
    timeoutMs: timeLeft() - RESERVE_MS,
    ...(event.deadline === undefined ? {} : { ttl: secondsLeft(game, event.deadline, services.clock()) }),
  };
  const { pending: left } = await deliverBatch(run, outgoing, targets, { since: instantOf(event.at), round });
  return grouped(left, ({ tries: made, at }) => `${made} ${at}`).flatMap((alike) => {
    const [first] = alike;
    if (first === undefined) return [];
    const rest = { event, to, tries: first.tries, round: round + 1, pending: alike.map(({ hash }) => hash) };
    return [{ announcement: rest, at: first.at }];
  });
};

/** Tells players what has befallen them, and puts on the queue again what may be tried again. */
export const pushGameEvents = async (
  run: WorkerContext,
  message: Extract<QueueMessage, { kind: "announce" }>,
): Promise<void> => {
  const { store, queue, clock } = run.services;
  const { announcements } = message;
  if (!(await waitOrRequeue(run, message))) return;
  const ids = announcements.flatMap(({ to, event: { actor } }) => (actor === null ? [to] : [to, actor]));
  const [game, listeners] = await Promise.all([store.game(), store.listeners(ids, { consistent: true })]);
  const left = await Promise.all(
    announcements.map((announcement) => {
      const actor = listeners.get(announcement.event.actor ?? "")?.alias ?? null;
      return announce(run, announcement, { listener: listeners.get(announcement.to), actor, game });
    }),
  );
  // Each at its own time: nobody waits for what another's push service has asked for.
  await queue.send(
    grouped(left.flat(), ({ at }) => at).map((alike): Outbound => {
      const at = alike[0]?.at ?? clock();
      const rest = alike.map(({ announcement }) => announcement);
      return { message: { kind: "announce", announcements: rest, notBefore: at }, delay: at - clock() };
    }),
  );
};
