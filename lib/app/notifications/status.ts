/** Reads how far the delivery of a notification is. */
import { DomainError } from "../../domain/domainError.ts";
import { deliveryOf, isDelivered } from "../../domain/notifications/push.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { notificationRecord } from "../../store/notifications/notifications.ts";

/** The notification with its delivery, and whether that is complete. @throws DomainError `not_found` */
export const readDelivery = async ({ game, services: { store } }: ReadCall, notification_id: string) => {
  const found = await notificationRecord(store, game, notification_id);
  if (found === null) throw new DomainError("not_found", "Notification not found");
  const { notification, progress, scheduling } = found;
  const complete = scheduling === "withdrawn" || isDelivered(progress);
  return { notification, ...deliveryOf(progress, scheduling), complete };
};
