/** Notifications in the table: what game masters have told everyone, and how far each has come. */
import { Notification, Progress } from "../domain/push.ts";
import type { Put, StoredItem, Write } from "../dynamodb/database.ts";
import { keys, notificationsList } from "./keys.ts";
import type { Store } from "./store.ts";

/** A notification as it lies in the table. */
export interface NotificationRecord {
  notification: Notification;
  progress: Progress;
  shard: number;
}

/** The write that saves a notification, with how far it has come. */
export const notificationWrite = (
  notification: Notification,
  shard: number,
  progress: Partial<Progress> = {},
): Put => ({
  put: { ...notification, ...progress, ...keys.notification(shard, notification.notification_id) },
});

/** The write that adds to how far it has come. */
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

/** A notification by its id, in whichever shard it lies; read consistently. */
export const notificationRecord = async (store: Store, id: string): Promise<NotificationRecord | null> => {
  const places = Array.from({ length: store.shards() }, (_, shard) => keys.notification(shard, id));
  const [item] = await store.db.getMany(places);
  return item === undefined ? null : parseRecord(item);
};
