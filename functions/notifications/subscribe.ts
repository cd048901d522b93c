/** POST /notifications/subscribe/{url_id}: a player's browser is to be reached by push. */

import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { orHttpError, playerLookupError, requireVapidKeys } from "../../lib/app/notifications/errors.ts";
import {
  endpointAndKeys,
  endpointIssues,
  PushSubscriptionRequest,
} from "../../lib/app/notifications/subscriptionRequest.ts";
import { Subscription } from "../../lib/domain/push.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { subscribeWrites } from "../../lib/store/subscriptions.ts";

export const handler = endpoint({
  route: "POST /notifications/subscribe/{url_id}",
  access: "player",
  body: PushSubscriptionRequest,
  alsoWrong: (given, { push }) => endpointIssues(push.allowed, given),
  answer: Subscription,
  once: true,
  errors: "text",
  lookupFault: playerLookupError(403),
  run: async (call) => {
    const { body, moment, now, services } = call;
    requireVapidKeys(services.push);
    const wanted = endpointAndKeys(body);
    const fresh = reloadOnRetry(call);
    const attempt = async (again: boolean) => {
      const { player } = await fresh();
      const { player_id } = player;
      const answer = { subscription_id: moment.newId(), player_id, ...wanted, created_at: rfc3339(now) };
      return {
        changes: { writes: await subscribeWrites(services.store, player, answer, { consistent: again }) },
        answer,
      };
    };
    return orHttpError("The subscription could not be saved.", () => call.decide(attempt));
  },
});
