/** Stored notifications and their delivery progress. */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import { News } from "../../domain/notifications/news.ts";
import { DeliveryProgress, Notification, Scheduling } from "../../domain/notifications/push.ts";
import type { Expectation, Item, Put, StoredItem, Write } from "../../dynamodb/database.ts";
import { keys, notificationsList, SCHEDULED_LIST, scheduleOrder } from "../keys.ts";
import { type Entry, entries } from "../lists.ts";
import type { Store } from "../store.ts";

export interface NotificationRecord {
  notification: Notification;
  progress: DeliveryProgress;
  shard: number;
  /** Only of a notification that is, or was, scheduled. */
  scheduling?: Scheduling | undefined;
  /** While `starting`: when a sweep claimed it, in milliseconds since 1970. */
  claimed_at?: number | undefined;
  /** What it announces to webhooks as well. */
  news?: News | undefined;
}

/** The write that stores a notification with its progress. */
export const notificationWrite = (
  notification: Notification,
  shard: number,
  progress: Partial<DeliveryProgress> = {},
): Put => ({
  put: { ...notification, ...progress, ...keys.notification(shard, notification.notification_id) },
});

/**
 * The write that stores a scheduled notification.
 * @param at when to send it, in milliseconds since 1970
 * @param news what it announces to webhooks as well
 */
export const scheduledWrite = (
  notification: Notification,
  shard: number,
  at: number,
  news?: News | undefined,
): Put => ({
  put: {
    ...notificationWrite(notification, shard).put,
    ...(news === undefined ? {} : { news }),
    rev: 1,
    scheduling: "scheduled",
    gsi2pk: SCHEDULED_LIST,
    gsi2sk: scheduleOrder(at, notification.notification_id),
  },
});

/** The write that stores a notification of which only a test is mailed: as one that was withdrawn, so that nobody sees it. */
export const testWrite = (notification: Notification, shard: number): Put => ({
  put: { ...notificationWrite(notification, shard).put, rev: 1, scheduling: "withdrawn" },
});

const schedulingWrite = (
  { notification, shard, scheduling, claimed_at }: NotificationRecord,
  to: Item & { scheduling: Scheduling },
): Write => {
  const expect: Expectation = { is: { scheduling, claimed_at } };
  return { set: keys.notification(shard, notification.notification_id), to, by: { rev: 1 }, expect };
};

/** Removes a notification from the index of scheduled ones. */
const NOT_IN_SCHEDULE = { gsi2pk: undefined, gsi2sk: undefined };

/** Withdraws a scheduled notification. */
export const withdrawalWrite = (record: NotificationRecord): Write =>
  schedulingWrite(record, { scheduling: "withdrawn", ...NOT_IN_SCHEDULE });

/** Claims a scheduled notification for the sweep that queues its delivery. */
export const claimWrite = (record: NotificationRecord, now: number): Write =>
  schedulingWrite(record, { scheduling: "starting", claimed_at: now });

/** Records that the delivery of a claimed notification is queued. */
export const startedWrite = (record: NotificationRecord, claimedAt: number): Write =>
  schedulingWrite(
    { ...record, scheduling: "starting", claimed_at: claimedAt },
    { scheduling: "started", claimed_at: undefined, ...NOT_IN_SCHEDULE },
  );

/** The write that adds to the progress; none if nothing changes. */
export const progressWrite = (id: string, shard: number, by: Partial<DeliveryProgress>): Write[] => {
  const changed = Object.entries(by).filter(([, value]) => value !== 0);
  if (changed.length === 0) return [];
  return [{ increase: keys.notification(shard, id), by: Object.fromEntries(changed) }];
};

const ScheduledFields = z.object({
  scheduling: z.optional(Scheduling),
  claimed_at: z.optional(z.number()),
  news: z.optional(News),
});

/** Parses a stored notification. */
export const parseRecord = (item: StoredItem): NotificationRecord => ({
  ...ScheduledFields.parse(item),
  notification: Notification.parse(item),
  progress: DeliveryProgress.parse(item),
  shard: Number(item.pk.slice(notificationsList("").length)),
});

/** A notification by its id, read consistently from all shards. */
export const notificationRecord = async (
  { db }: Store,
  game: Game,
  id: string,
): Promise<NotificationRecord | null> => {
  const itemKeys = Array.from({ length: game.shards }, (_, shard) => keys.notification(shard, id));
  const [item] = await db.getMany(itemKeys);
  return item === undefined ? null : parseRecord(item);
};

/**
 * The notifications and missions of which something is due, the earliest first. The index lists them; each item is read
 * before it is returned.
 */
export async function* dueItems({ db }: Store, now: number): AsyncGenerator<StoredItem> {
  const before = scheduleOrder(now + 1, "");
  const list = { index: "gsi2" as const, partition: () => SCHEDULED_LIST, shards: 1, before };
  for await (const { item } of entries(db, list, 10)) {
    const stored = await db.get({ pk: item.pk, sk: item.sk });
    if (stored !== undefined) yield stored;
  }
}

/** Notifications, newest first, between two ids. */
export const notificationEntries = (
  { db }: Store,
  { shards }: Game,
  expected: number,
  bounds: { after?: string | undefined; before?: string | undefined },
): AsyncGenerator<Entry> =>
  entries(db, { partition: notificationsList, shards, descending: true, ...bounds }, expected);
