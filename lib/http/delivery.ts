/** The queue's work: broadcasts page by page, and what players are told of what has befallen them. */
import { type GameEvent, wordsFor } from "../domain/announcement.ts";
import type { Game } from "../domain/clock.ts";
import { instantOf, SECOND } from "../domain/time.ts";
import { secondsLeft } from "../domain/transitions.ts";
import { eventMessage, topicOf } from "../push/message.ts";
import type { Announcement, QueueMessage } from "../queue/messages.ts";
import type { ListenerEntry } from "../store/items.ts";
import { endpointHash, subscriptionsOf } from "../store/subscriptions.ts";
import { attempt } from "./attempt.ts";
import { spread, workPage } from "./broadcast.ts";
import type { Run } from "./scheduled.ts";

/** Time kept for what comes after the push, in milliseconds. */
const RESERVE = 8 * SECOND;

/** What must not wait until a telephone is next looked at. */
const isUrgent = ({ what }: GameEvent): boolean => what === "tagged" || what === "starving";

/** Tells one player of one event. @returns what is left to be tried again, and when */
const announce = async (
  run: Run,
  announcement: Announcement,
  heard: { listener: ListenerEntry | undefined; actor: string | null; game: Game },
): Promise<{ announcement: Announcement; at: number } | null> => {
  const { services, timeLeft } = run;
  const { event, to, tries, round, pending } = announcement;
  const { listener, actor, game } = heard;
  const words =
    listener === undefined ? null : wordsFor(event, listener, { actor, game, now: services.clock() });
  if (words === null) return null;
  const own = await subscriptionsOf(services.store.db, to);
  const targets = own
    .map((subscription) => ({ subscription, hash: endpointHash(subscription.endpoint), tries }))
    .filter(({ hash }) => pending === undefined || pending.includes(hash));
  if (targets.length === 0) return null;
  const outgoing = {
    message: eventMessage(event, words),
    topic: topicOf(event.id),
    urgency: isUrgent(event) ? ("high" as const) : ("normal" as const),
    patience: timeLeft() - RESERVE,
    ...(event.deadline === undefined ? {} : { ttl: secondsLeft(game, event.deadline, services.clock()) }),
  };
  const { pending: left } = await attempt(run, outgoing, targets, { since: instantOf(event.at), round });
  if (left.length === 0) return null;
  const again = {
    event,
    to,
    tries: Math.max(...left.map((one) => one.tries)),
    round: round + 1,
    pending: left.map(({ hash }) => hash),
  };
  return { announcement: again, at: Math.max(...left.map(({ at }) => at)) };
};

/** Tells players what has befallen them, and puts on the queue again what may be tried again. */
const announceAll = async (
  run: Run,
  { announcements, notBefore }: Extract<QueueMessage, { kind: "announce" }>,
): Promise<void> => {
  const { store, queue, clock } = run.services;
  const early = notBefore - clock();
  if (early > SECOND) {
    return queue.send([{ message: { kind: "announce", announcements, notBefore }, delay: early }]);
  }
  const ids = announcements.flatMap(({ to, event: { actor } }) => (actor === null ? [to] : [to, actor]));
  const [game, listeners] = await Promise.all([store.game(), store.listeners(ids, { consistent: true })]);
  const left = await Promise.all(
    announcements.map((announcement) => {
      const actor = listeners.get(announcement.event.actor ?? "")?.alias ?? null;
      return announce(run, announcement, { listener: listeners.get(announcement.to), actor, game });
    }),
  );
  const again = left.filter((one) => one !== null);
  if (again.length === 0) return;
  // All at the latest of their times: none comes before its own.
  const at = Math.max(...again.map((one) => one.at));
  const message = {
    kind: "announce" as const,
    announcements: again.map(({ announcement }) => announcement),
    notBefore: at,
  };
  await queue.send([{ message, delay: at - clock() }]);
};

/** Works on one message of the queue. @throws Error when it is to come again */
export const deliverMessage = async (run: Run, message: QueueMessage): Promise<void> => {
  switch (message.kind) {
    case "spread":
      return spread(run, message.subject, message.plan);
    case "page":
      return workPage(run, message);
    case "announce":
      return announceAll(run, message);
  }
};
