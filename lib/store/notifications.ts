/** Stored notifications and their delivery progress. */
import type { Game } from "../domain/clock.ts";
import { Notification, Progress } from "../domain/push.ts";
import type { Put, StoredItem, Write } from "../dynamodb/database.ts";
import { keys, notificationsList } from "./keys.ts";
import type { Store } from "./store.ts";

/** A stored notification. */
export interface NotificationRecord {
  notification: Notification;
  progress: Progress;
  shard: number;
}

/** The write that stores a notification with its progress. */
export const notificationWrite = (
  notification: Notification,
  shard: number,
  progress: Partial<Progress> = {},
): Put => ({
  put: { ...notification, ...progress, ...keys.notification(shard, notification.notification_id) },
});

/** The write that adds to the progress; none if nothing changes. */
export const progressWrite = (id: string, shard: number, by: Partial<Progress>): Write[] => {
  const changed = Object.entries(by).filter(([, value]) => value !== 0);
  if (changed.length === 0) return [];
  return [{ increase: keys.notification(shard, id), by: Object.fromEntries(changed) }];
};

const parseRecord = (item: StoredItem): NotificationRecord => ({
  notification: Notification.parse(item),
  progress: Progress.parse(item),
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
