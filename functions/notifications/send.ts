/** POST /notifications/send/{url_id}: a game master's notification to everyone who has subscribed. */
import * as z from "zod/mini";
import { playerLookupError } from "../../lib/app/notifications/errors.ts";
import { SendResult } from "../../lib/domain/push.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { text } from "../../lib/http/fields.ts";

const PushNotificationRequest = z.strictObject({
  title: text(1, 120, "line"),
  content: text(1, 2_000, "text"),
  // The notification is for all, whatever this says.
  player_groups: z.string(),
});

export const handler = endpoint({
  route: "POST /notifications/send/{url_id}",
  access: "administrator",
  request: { body: PushNotificationRequest },
  response: { schema: SendResult, errors: "text", lookupError: playerLookupError(403) },
  idempotency: { scope: "player" },
  run: async (call) => {
    // Whoever is refused at the door needs nothing of it.
    const { sendNotification } = await import("../../lib/app/notifications/sendNotification.ts");
    return sendNotification(call);
  },
});
