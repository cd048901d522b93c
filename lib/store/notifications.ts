/** Notifications in the table: a list of what game masters have told everyone. */
import type { Notification } from "../domain/push.ts";
import type { Put } from "./database.ts";
import { keys } from "./keys.ts";

/** The write that saves a new notification. */
export const notificationWrite = (notification: Notification, shards: number): Put => {
  const shard = Math.floor(Math.random() * shards);
  return { put: { ...notification, ...keys.notification(shard, notification.notification_id) } };
};
