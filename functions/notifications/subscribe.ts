/** POST /notifications/subscribe/{url_id}: subscribes a player's browser to push. */
import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { lookupFault, orHttpError, requireKeys } from "../../lib/app/notifications/errors.ts";
import {
  endpointFaults,
  PushSubscriptionRequest,
  reachable,
} from "../../lib/app/notifications/subscriptionRequest.ts";
import { Subscription } from "../../lib/domain/push.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { subscribing } from "../../lib/store/subscriptions.ts";

export const handler = endpoint({
  route: "POST /notifications/subscribe/{url_id}",
  access: "player",
  request: { body: PushSubscriptionRequest },
  response: { schema: Subscription, errors: "text", lookupError: lookupFault(403) },
  idempotency: { scope: "player" },
  validate: (body, { push }) => endpointFaults(push.allowed, body),
  run: async (call) => {
    const { body, context, now, services } = call;
    requireKeys(services.push);
    const wanted = reachable(body);
    const reload = reloadOnRetry(call);
    const attempt = async (isRetry: boolean) => {
      const { player } = await reload();
      const { player_id } = player;
      const response = { subscription_id: context.newId(), player_id, ...wanted, created_at: rfc3339(now) };
      return {
        changes: { writes: await subscribing(services.store, player, response, { consistent: isRetry }) },
        response,
      };
    };
    return orHttpError("The subscription could not be saved.", () => call.decide(attempt));
  },
});
