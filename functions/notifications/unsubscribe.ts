/** DELETE /subscriptions/unsubscribe/{url_id}: removes all push subscriptions of a player. */
import { orHttpError, playerLookupError } from "../../lib/app/notifications/errors.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { subscriptionsOf, unsubscribeWrites } from "../../lib/store/subscriptions.ts";

export const handler = endpoint({
  route: "DELETE /subscriptions/unsubscribe/{url_id}",
  access: "player",
  response: { schema: null, errors: "text", lookupError: playerLookupError(500) },
  run: async (call) => {
    const { player, services } = call;
    const attempt = async () => {
      const own = await subscriptionsOf(services.store.db, player.player_id);
      return { changes: { writes: unsubscribeWrites(own) }, response: null };
    };
    return orHttpError("The subscriptions could not be removed.", () => call.decide(attempt));
  },
});
