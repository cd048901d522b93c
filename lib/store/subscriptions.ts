/**
 * Push subscriptions in the table. An endpoint belongs to one player: its guard says to whom. Whatever adds to
 * a player's subscriptions also counts up the `rev` of the player, so that two that do so at once, or one and
 * the deletion of the account, judge by what the other has done.
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import type { Player } from "../domain/player.ts";
import { Subscription, subscriptionsToReplace } from "../domain/push.ts";
import type { Database, Expectation, ReadOptions, StoredItem, Write } from "../dynamodb/database.ts";
import { playerItem } from "./items.ts";
import { keys, subscriptionsList } from "./keys.ts";
import { type Entry, entries } from "./lists.ts";
import type { Store } from "./store.ts";

/** How an endpoint is known to the table: the same for every way to write one URL. */
export const endpointHash = (endpoint: string): string =>
  createHash("sha256").update(new URL(endpoint).href).digest("base64url");

export const parseSubscription = (item: StoredItem): Subscription => Subscription.parse(item);

export const subscriptionItem = (subscription: Subscription, shard: number): StoredItem => {
  const { player_id, subscription_id, endpoint } = subscription;
  const hash = endpointHash(endpoint);
  return {
    ...subscription,
    ...keys.subscription(player_id, hash),
    // By endpoint, so that one that is renewed keeps its place while the list is worked through.
    gsi1pk: subscriptionsList(shard),
    gsi1sk: `${hash}#${subscription_id}`,
  };
};

/** Whose an endpoint is, and by which subscription. */
export const EndpointGuard = z.object({ player_id: z.string(), subscription_id: z.string() });

const stillThat = ({ subscription_id }: { subscription_id: string }): Expectation => ({
  is: { subscription_id },
});

/** A player's subscriptions, read consistently. */
export const subscriptionsOf = async (db: Database, playerId: string): Promise<Subscription[]> => {
  const { pk, sk } = keys.subscription(playerId, "");
  const found: Subscription[] = [];
  // After the prefix, and before whatever else sorts behind it.
  const list = { partition: () => pk, shards: 1, after: sk, before: `${sk}~`, consistent: true };
  for await (const { item } of entries(db, list, 100)) found.push(parseSubscription(item));
  return found;
};

/** The writes that end subscriptions, while they are still the same ones. */
export const unsubscribeWrites = (
  subscriptions: readonly Pick<Subscription, "player_id" | "subscription_id" | "endpoint">[],
): Write[] =>
  subscriptions.flatMap((subscription) => {
    const hash = endpointHash(subscription.endpoint);
    const expect = stillThat(subscription);
    return [
      { remove: keys.subscription(subscription.player_id, hash), expect },
      { remove: keys.endpoint(hash), expect },
    ];
  });

/**
 * The writes that give a player a subscription: in the place of an earlier one to its endpoint, whosever it
 * was, and of the player's oldest when there are too many.
 * @param player as read for this attempt; written on condition that it is still so
 * @param how whose the endpoint is, is read: written on condition that it is so, and so at first perhaps as it lay
 */
export const subscribeWrites = async (
  store: Store,
  player: Player,
  subscription: Subscription,
  how: ReadOptions,
): Promise<Write[]> => {
  const hash = endpointHash(subscription.endpoint);
  const [guard, all] = await Promise.all([
    store.db.get(keys.endpoint(hash), how),
    subscriptionsOf(store.db, player.player_id),
  ]);
  const earlier = guard === undefined ? null : EndpointGuard.parse(guard);
  const isMove = earlier !== null && earlier.player_id !== player.player_id;
  const others = all.filter(({ endpoint }) => endpointHash(endpoint) !== hash);
  const own = all.find((one) => !others.includes(one));
  const { player_id, subscription_id } = subscription;
  const shard = Math.floor(Math.random() * store.shards());
  return [
    { put: playerItem({ ...player, rev: player.rev + 1 }), expect: { rev: player.rev } },
    { put: subscriptionItem(subscription, shard), expect: own === undefined ? "absent" : stillThat(own) },
    {
      put: { ...keys.endpoint(hash), player_id, subscription_id },
      expect: earlier === null ? "absent" : stillThat(earlier),
    },
    ...(isMove
      ? [{ remove: keys.subscription(earlier.player_id, hash), expect: stillThat(earlier) } satisfies Write]
      : []),
    ...unsubscribeWrites(subscriptionsToReplace(others)),
  ];
};

/** A subscription in the list of all: what it takes to reach it, and which one it is. */
export const parseSubscriptionEntry = ({ position, item }: Entry): Subscription =>
  Subscription.parse({ ...item, subscription_id: position.slice(position.lastIndexOf("#") + 1) });

/** Every subscription there is between positions, by an index: candidates, some of which may just have ended. */
export const subscriptionEntries = (
  store: Store,
  expected: number,
  bounds: { after?: string | undefined; before?: string | undefined } = {},
): AsyncGenerator<Entry> =>
  entries(
    store.db,
    { index: "gsi1", partition: subscriptionsList, shards: store.shards(), ...bounds },
    expected,
  );
