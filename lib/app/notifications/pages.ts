/**
 * A broadcast is one message to every subscription: a game master's notification, or an event of the game. It is
 * planned in pages, and each page is delivered through the queue in rounds until every subscription has a final result.
 */
import { SECOND } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { PushPage, Subject } from "../../queue/messages.ts";
import type { Outbound } from "../../queue/queue.ts";
import type { Pending, Plan } from "../../store/notifications/broadcasts.ts";
import { progressWrite } from "../../store/notifications/notifications.ts";

/** The id of a broadcast. */
export const broadcastId = (subject: Subject): string =>
  "event" in subject ? subject.event.id : subject.notification_id;

/** The writes that add to the progress of a notification. Events have no progress. */
export const progressWrites = (subject: Subject, added: Parameters<typeof progressWrite>[2]): Write[] =>
  "event" in subject ? [] : progressWrite(subject.notification_id, subject.shard, added);

/** The number of pages that a plan adds to a broadcast. While the rest is not planned it counts as one page. */
export const countPages = ({ pages, rest }: Plan): number => pages.length + (rest === null ? 0 : 1);

/** The message for the next round of a page, due when the first of its pending subscriptions may be retried. */
export const nextRoundMessage = (
  page: PushPage,
  round: number,
  pending: readonly Pending[],
  now: number,
): Outbound => {
  const notBefore = Math.min(...pending.map(({ at }) => at));
  return { message: { ...page, round, notBefore }, delay: Math.max(SECOND, notBefore - now) };
};
