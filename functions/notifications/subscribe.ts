/** POST /notifications/subscribe/{url_id}: a player's browser is to be reached by push. */

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
import { subscribeWrites } from "../../lib/store/subscriptions.ts";

export const handler = endpoint({
  route: "POST /notifications/subscribe/{url_id}",
  access: "player",
  body: PushSubscriptionRequest,
  alsoWrong: (given, { push }) => endpointFaults(push.allowed, given),
  answer: Subscription,
  once: true,
  errors: "text",
  lookupFault: lookupFault(403),
  run: async (call) => {
    const { body, moment, now, services } = call;
    requireKeys(services.push);
    const wanted = reachable(body);
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
