/** Subscribes a browser to push, and ends subscriptions. */
import type { Subscription } from "../../domain/notifications/push.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import {
  endedWrites,
  endpointHash,
  subscribeWrites,
  subscriptionsOf,
} from "../../store/notifications/subscriptions.ts";
import { requireVapidKeys } from "./errors.ts";

/** Stores a subscription, unless the player has it already. @throws Fault when the deployment has no VAPID keys */
export const subscribe = async (
  { context, game, isRetry, now, player, services: { push, store } }: PlayerCall,
  wanted: Pick<Subscription, "endpoint" | "p256dh" | "auth">,
): Promise<Decision<Subscription>> => {
  requireVapidKeys(push);
  const { player_id } = player;
  const fresh = { subscription_id: context.newId(), player_id, ...wanted, created_at: rfc3339(now) };
  const { writes, stored } = await subscribeWrites(store, { player, game }, fresh, { consistent: isRetry });
  return { changes: { writes }, result: stored };
};

/** Ends the player's subscription with this endpoint, or all of them. */
export const unsubscribe = async (
  { game, now, player, services: { store } }: PlayerCall,
  endpoint: string | undefined,
): Promise<Decision<null>> => {
  const own = await subscriptionsOf(store.db, player.player_id);
  if (endpoint !== undefined) {
    const hash = endpointHash(endpoint);
    const ended = own.filter((one) => endpointHash(one.endpoint) === hash);
    return { changes: { writes: await endedWrites(store.db, ended) }, result: null };
  }
  // Otherwise the other devices would take it that the service has lost their subscriptions, and renew them.
  const after = { ...player, push_off_at: rfc3339(now) };
  const writes = await endedWrites(store.db, own);
  return { changes: { players: [{ before: player, after }], basedOn: game, writes }, result: null };
};
