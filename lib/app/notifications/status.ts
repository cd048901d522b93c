/** Reads how far the delivery of a notification is. */
import { DomainError } from "../../domain/domainError.ts";
import { isDone, mailAt } from "../../domain/mail/mail.ts";
import { deliveryOf, hidesDelivery, isDelivered } from "../../domain/notifications/push.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { readMail } from "../../store/mail/mails.ts";
import { notificationRecord } from "../../store/notifications/notifications.ts";

/** The notification with its delivery, and whether that is complete. @throws DomainError `not_found` */
export const readDelivery = async (
  { game, now, player, services: { store } }: ReadCall,
  notification_id: string,
) => {
  const found = await notificationRecord(store, game, notification_id);
  if (found === null) throw new DomainError("not_found", "Notification not found");
  const { notification, progress, scheduling } = found;
  const isHidden = hidesDelivery(notification.audience, player, game, now);
  const isPushed = scheduling === "withdrawn" || isDelivered(progress);
  const mails = notification.also_email === true ? await readMail(store.db, notification_id) : null;
  return {
    notification,
    ...deliveryOf(progress, isHidden, scheduling),
    ...(mails === null || isHidden ? {} : { emails: mails.count ?? 0 }),
    ...(isHidden ? {} : { complete: isPushed && (mails === null || isDone(mailAt(mails, now))) }),
  };
};
