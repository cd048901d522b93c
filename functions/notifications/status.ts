/** GET /notifications/status/{url_id}: the delivery status of a notification. */
import * as z from "zod/mini";
import { readDelivery } from "../../lib/app/notifications/status.ts";
import { SendResult } from "../../lib/domain/notifications/push.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { EventId } from "../../lib/http/fields.ts";

export const handler = endpoint({
  route: "GET /notifications/status/{url_id}",
  access: "administrator",
  request: { query: z.strictObject({ notification_id: EventId }) },
  response: {
    schema: z.extend(SendResult, { complete: z.optional(z.boolean()) }),
    errors: "text",
    lookupStatus: 403,
    faultMessage: "The notification could not be read.",
  },
  read: (call) => readDelivery(call, call.query.notification_id),
});

export const docs: EndpointDocs = {
  summary: "Read the progress of a notification",
  description: "The current delivery status, in the format of the response to `send`.",
  errors: ["not_found"],
  fields: { complete: "Whether the delivery is complete; absent where the counts are hidden." },
  example: { query: ({ sent }) => ({ notification_id: sent }) },
};
