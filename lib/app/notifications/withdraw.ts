/** Withdraws a scheduled notification before its time. */
import { DomainError } from "../../domain/domainError.ts";
import { deliveryOf, type SendResult, sendTime } from "../../domain/notifications/push.ts";
import { instantOf } from "../../domain/time.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { notificationRecord, withdrawalWrite } from "../../store/notifications/notifications.ts";
import { orHttpError } from "./errors.ts";

/**
 * Withdraws a notification before its time. Idempotent.
 * @throws DomainError `not_found`, `already_sent`
 */
export const withdrawNotification = (
  call: Call<"administrator", { notification_id: string }, unknown, SendResult>,
): Promise<CommandResponse> => {
  const { audit, body, game, now, services } = call;
  audit.details = { notification_id: body.notification_id };
  const attempt = async () => {
    const record = await notificationRecord(services.store, game, body.notification_id);
    if (record === null) throw new DomainError("not_found", "Notification not found");
    const { notification, progress, scheduling } = record;
    const response = { notification, ...deliveryOf(progress, "withdrawn") };
    if (scheduling === "withdrawn") return { changes: {}, result: response };
    if (scheduling !== "scheduled" || instantOf(sendTime(notification)) <= now) {
      throw new DomainError("already_sent", "This notification has been sent.");
    }
    return { changes: { writes: [withdrawalWrite(record)] }, result: response };
  };
  return orHttpError("The notification could not be withdrawn.", () => call.decide(attempt));
};
