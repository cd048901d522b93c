/** Withdraws a scheduled notification before its time. */
import { DomainError } from "../../domain/domainError.ts";
import { deliveryOf, type SendResult, sendTime } from "../../domain/notifications/push.ts";
import { instantOf } from "../../domain/time.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { notificationRecord, withdrawalWrite } from "../../store/notifications/notifications.ts";

/**
 * Withdraws a notification before its time. Idempotent.
 * @throws DomainError `not_found`, `already_sent`
 */
export const withdrawNotification = async (
  { audit, game, now, services: { store } }: PlayerCall,
  notification_id: string,
): Promise<Decision<SendResult>> => {
  audit.details = { notification_id };
  const record = await notificationRecord(store, game, notification_id);
  if (record === null) throw new DomainError("not_found", "Notification not found");
  const { notification, progress, scheduling } = record;
  const result = { notification, ...deliveryOf(progress, false, "withdrawn") };
  audit.details = { notification_id, title: notification.title };
  if (scheduling === "withdrawn") return { changes: {}, result };
  if (scheduling !== "scheduled" || instantOf(sendTime(notification)) <= now)
    throw new DomainError("already_sent", "This notification has been sent.");
  return { changes: { writes: [withdrawalWrite(record)] }, result };
};
