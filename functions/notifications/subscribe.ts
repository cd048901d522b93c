/** POST /notifications/subscribe/{url_id}: subscribes a player's browser to push. */
import { subscribe } from "../../lib/app/notifications/subscribe.ts";
import { Subscription } from "../../lib/domain/notifications/push.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import {
  endpointAndKeys,
  endpointIssues,
  PushSubscriptionRequest,
} from "../../lib/http/subscriptionRequest.ts";

export const handler = endpoint({
  route: "POST /notifications/subscribe/{url_id}",
  access: "player",
  request: { body: PushSubscriptionRequest },
  response: {
    schema: Subscription,
    errors: "text",
    lookupStatus: 403,
    faultMessage: "The subscription could not be saved.",
  },
  idempotency: { scope: "player" },
  validate: (body, { push }) => endpointIssues(push.allowed, body),
  decide: (call) => subscribe(call, endpointAndKeys(call.body)),
});

export const docs: EndpointDocs = {
  summary: "Subscribe to push",
  description:
    "Stores a browser's push subscription, as separate fields or as returned by `PushSubscription.toJSON()`. A player has at most 10; a new one replaces the oldest. One that the player has already stays as it is, so a page may send its subscription at each start.",
  fields: {
    keys: "The keys, as browsers serialise them.",
    expirationTime: "Ignored; part of the serialised subscription.",
  },
  example: {
    body: {
      endpoint: "https://fcm.googleapis.com/fcm/send/example",
      p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
      auth: "BTBZMqHH6r4Tts7J_aSIgg",
    },
  },
};
