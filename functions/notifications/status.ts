/** GET /notifications/status/{url_id}: the delivery status of a notification. */
import * as z from "zod/mini";
import { orHttpError, playerLookupError } from "../../lib/app/notifications/errors.ts";
import { DomainError } from "../../lib/domain/domainError.ts";
import { deliveryOf, isDelivered, SendResult } from "../../lib/domain/notifications/push.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";
import { notificationRecord } from "../../lib/store/notifications/notifications.ts";

export const handler = endpoint({
  route: "GET /notifications/status/{url_id}",
  access: "administrator",
  request: { query: z.strictObject({ notification_id: EventId }) },
  response: {
    schema: z.extend(SendResult, { complete: z.boolean() }),
    errors: "text",
    lookupError: playerLookupError(403),
  },
  run: async (call) => {
    const { game, query, services } = call;
    const found = await orHttpError("The notification could not be read.", () =>
      notificationRecord(services.store, game, query.notification_id),
    );
    if (found === null) throw new DomainError("not_found", "Notification not found");
    const { notification, progress, scheduling } = found;
    const complete = scheduling === "withdrawn" || isDelivered(progress);
    return call.respond({ notification, ...deliveryOf(progress, scheduling), complete });
  },
});

export const docs: EndpointDocs = {
  summary: "Read the progress of a notification",
  description: "The current delivery status, in the format of the response to `send`.",
  errors: ["not_found"],
  fields: { complete: "Whether the delivery is complete." },
  example: { query: ({ sent }) => ({ notification_id: sent }) },
};
