/** POST /notifications/subscribe/{url_id}: subscribes a player's browser to push. */
import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { orHttpError, playerLookupError, requireVapidKeys } from "../../lib/app/notifications/errors.ts";
import {
  endpointAndKeys,
  endpointIssues,
  PushSubscriptionRequest,
} from "../../lib/app/notifications/subscriptionRequest.ts";
import { Subscription } from "../../lib/domain/notifications/push.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { subscribeWrites } from "../../lib/store/notifications/subscriptions.ts";

export const handler = endpoint({
  route: "POST /notifications/subscribe/{url_id}",
  access: "player",
  request: { body: PushSubscriptionRequest },
  response: { schema: Subscription, errors: "text", lookupError: playerLookupError(403) },
  idempotency: { scope: "player" },
  validate: (body, { push }) => endpointIssues(push.allowed, body),
  run: async (call) => {
    const { body, context, now, services } = call;
    requireVapidKeys(services.push);
    const wanted = endpointAndKeys(body);
    const reload = reloadOnRetry(call);
    const attempt = async ({ isRetry }: { isRetry: boolean }) => {
      const current = await reload();
      const { player_id } = current.player;
      const fresh = { subscription_id: context.newId(), player_id, ...wanted, created_at: rfc3339(now) };
      const options = { consistent: isRetry };
      const { writes, stored } = await subscribeWrites(services.store, current, fresh, options);
      return { changes: { writes }, result: stored };
    };
    return orHttpError("The subscription could not be saved.", () => call.decide(attempt));
  },
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
