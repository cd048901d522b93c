/** POST /notifications/send/{url_id}: sends a game master's notification, or schedules it. */
import * as z from "zod/mini";
import { SendResult } from "../../lib/domain/notifications/push.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { NewAudience, ZonedTime } from "../../lib/http/fields.ts";
import { text } from "../../lib/http/textFields.ts";

const PushNotificationRequest = z.strictObject({
  title: text(1, 120, "line"),
  content: text(1, 2_000, "text"),
  // Ignored: `audience` selects the recipients.
  player_groups: z.string().check(z.maxLength(2_000)),
  audience: z.optional(NewAudience),
  send_at: z.optional(ZonedTime),
});

export const handler = endpoint({
  route: "POST /notifications/send/{url_id}",
  access: "administrator",
  request: { body: PushNotificationRequest },
  response: { schema: SendResult, errors: "text", lookupStatus: 403 },
  idempotency: { scope: "player" },
  run: async (call) => {
    // Imported on demand, so that rejected requests do not load it.
    const { sendNotification } = await import("../../lib/app/notifications/sendNotification.ts");
    return sendNotification(call, call.body);
  },
});

export const docs: EndpointDocs = {
  summary: "Send a notification",
  description:
    "Sends a push notification to everybody or to an `audience`. Up to 200 subscriptions are served within the request; more are queued.",
  errors: ["in_progress"],
  fields: {
    player_groups: "Any text. It has no effect; use `audience`.",
    audience: "The recipients, determined at delivery; `all` by default.",
    send_at: "When to send it, within 30 days; immediately by default.",
  },
  example: {
    body: {
      title: "Supply drop",
      content: "At the library, 18:00.",
      player_groups: "All",
      audience: "humans",
    },
  },
};
