/** What game masters have sent to a player, also to one without push. */
import * as z from "zod/mini";
import { isAddressed, ShownAudience, sendTime, shownAudience } from "../../domain/push.ts";
import { instantOf } from "../../domain/time.ts";
import type { StoredItem } from "../../dynamodb/database.ts";
import { makeCursor, readCursor } from "../../http/cursors.ts";
import type { Call } from "../../http/definition.ts";
import { Timestamp } from "../../http/views.ts";
import { readPage } from "../../store/lists.ts";
import { notificationEntries, parseRecord } from "../../store/notifications.ts";

export const InboxMessage = z.object({
  notification_id: z.string(),
  title: z.string(),
  content: z.string(),
  audience: ShownAudience,
  sent_at: Timestamp,
});
type InboxMessage = z.infer<typeof InboxMessage>;

export const Inbox = z.object({
  notifications: z.array(InboxMessage),
  /** How many are newer than the one named by `after`, at most {@link MAX_UNREAD}. */
  unread: z.int(),
  next_cursor: z.nullable(z.string()),
});

const MAX_UNREAD = 100;

interface InboxQuery {
  limit: number;
  cursor?: string | undefined;
  after?: string | undefined;
}

type InboxCall = Call<"player", unknown, InboxQuery, z.infer<typeof Inbox>>;

/** A stored notification as its reader sees it; `null` if it is for others, withdrawn, or its time has not come. */
type Reader = Pick<InboxCall, "player" | "game" | "now" | "services">;

const messageFor =
  ({ player, game, now }: Reader) =>
  (item: StoredItem): InboxMessage | null => {
    const { notification, scheduling } = parseRecord(item);
    const { notification_id, title, content, audience } = notification;
    const sent_at = sendTime(notification);
    if (scheduling === "withdrawn" || instantOf(sent_at) > now) return null;
    if (!isAddressed(audience, player, game, now)) return null;
    return { notification_id, title, content, audience: shownAudience(audience), sent_at };
  };

/** The notifications for a player that are newer than the one named by `after`, at most {@link MAX_UNREAD}, newest first. */
export const unreadMessages = async (call: Reader, after: string | undefined): Promise<InboxMessage[]> => {
  const { game, services } = call;
  const newest = notificationEntries(services.store, game, MAX_UNREAD, { after });
  return (await readPage(newest, MAX_UNREAD, messageFor(call))).items;
};

/**
 * A page of the notifications for a player as the player is now, newest first.
 * @throws DomainError `invalid_request` for a bad cursor
 */
export const readInbox = async (call: InboxCall): Promise<z.infer<typeof Inbox>> => {
  const { game, query, services } = call;
  const { store } = services;
  const { limit, cursor, after } = query;
  const place = { list: "inbox" };
  const before = await readCursor(services, place, cursor);
  const read = messageFor(call);
  const [page, unread] = await Promise.all([
    readPage(notificationEntries(store, game, limit + 1, { before }), limit, read),
    unreadMessages(call, after),
  ]);
  return {
    notifications: page.items,
    unread: unread.length,
    next_cursor: await makeCursor(services, place, page.next),
  };
};
