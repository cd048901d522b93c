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
  unsigned: z.optional(z.boolean()),
  missions_below: z.optional(z.int().check(z.gte(1), z.lte(100))),
  also_email: z.optional(z.boolean()),
  dry_run: z.optional(z.boolean()),
  test_email: z.optional(z.boolean()),
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
    "Sends a push notification to everybody or to an `audience`. Up to 200 subscriptions are served within the request; more are queued. With `also_email`, those who are reached by mail also get it there: with a confirmed address that no server has refused, unless they have switched such mails off. For whom it is is judged again when each mail is sent, so who changes sides before that gets none.",
  errors: ["in_progress", "wrong_state"],
  fields: {
    player_groups: "Any text. It has no effect; use `audience`.",
    audience: "The recipients, determined at delivery; `all` by default.",
    unsigned: "`true` for only those in the audience who have not signed the present waiver.",
    missions_below:
      "Only those in the audience who attended fewer required missions, as `GET /admin/get_players` finds with `missions_below`.",
    also_email: "`true` to send it also by mail.",
    dry_run:
      "`true` to send and store nothing: the response says how many would get a mail, and what it says.",
    test_email: "`true` to send only a mail, and only to the caller, whose address has to be confirmed.",
    send_at:
      "When to send it, within 30 days; immediately by default. If the service is stopped until more than a day later, it is neither pushed nor mailed: it stands in the inbox, and its pushes count as `failed`.",
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
