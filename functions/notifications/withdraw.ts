/** POST /notifications/withdraw/{url_id}: withdraws a notification that has not been sent yet. */
import * as z from "zod/mini";
import { withdrawNotification } from "../../lib/app/notifications/withdraw.ts";
import { SendResult } from "../../lib/domain/notifications/push.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "POST /notifications/withdraw/{url_id}",
  access: "administrator",
  request: { body: z.strictObject({ notification_id: EventId }) },
  response: {
    schema: SendResult,
    errors: "text",
    lookupStatus: 403,
    faultMessage: "The notification could not be withdrawn.",
  },
  idempotency: { scope: "player" },
  decide: (call) => withdrawNotification(call, call.body.notification_id),
});

export const docs: EndpointDocs = {
  summary: "Withdraw a scheduled notification",
  description: "The notification is not sent. Idempotent.",
  errors: ["not_found", "already_sent"],
  example: { body: ({ scheduled }) => ({ notification_id: scheduled }) },
};
