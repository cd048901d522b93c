/**
 * Stored push subscriptions. An endpoint belongs to one player, recorded in its guard. Every write that adds a subscription
 * also increases the player's `rev`, so that it conflicts with concurrent ones and with the deletion of the account.
 */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import { Subscription, subscriptionsToReplace } from "../../domain/notifications/push.ts";
import type { Player } from "../../domain/players/player.ts";
import type { Database, Expectation, ReadOptions, StoredItem, Write } from "../../dynamodb/database.ts";
import { sha256 } from "../../runtime/sha256.ts";
import { playerItem } from "../items.ts";
import { keys, subscriptionsList } from "../keys.ts";
import { type Entry, entries, randomShard } from "../lists.ts";
import type { Store } from "../store.ts";

/** The hash that identifies an endpoint. It is the same for all spellings of one URL. */
export const endpointHash = (endpoint: string): string => sha256(new URL(endpoint).href);

export const parseSubscription = (item: StoredItem): Subscription => Subscription.parse(item);

export const subscriptionItem = (subscription: Subscription, shard: number): StoredItem => {
  const { player_id, subscription_id, endpoint } = subscription;
  const hash = endpointHash(endpoint);
  return {
    ...subscription,
    ...keys.subscription(player_id, hash),
    // Sorted by endpoint, so that a renewed subscription keeps its position during a broadcast.
    gsi1pk: subscriptionsList(shard),
    gsi1sk: `${hash}#${subscription_id}`,
  };
};

/** Whether two subscriptions of one endpoint have the same keys. */
const isSame = (one: Subscription, other: Subscription): boolean =>
  one.p256dh === other.p256dh && one.auth === other.auth;

/** The guard of an endpoint: its owner and the subscription. */
export const EndpointGuard = z.object({ player_id: z.string(), subscription_id: z.string() });

const isUnchanged = ({ subscription_id }: { subscription_id: string }): Expectation => ({
  is: { subscription_id },
});

/** A player's subscriptions, read consistently. */
export const subscriptionsOf = async (db: Database, playerId: string): Promise<Subscription[]> => {
  const { pk, sk } = keys.subscription(playerId, "");
  const found: Subscription[] = [];
  // `~` sorts after all hashes.
  const list = { partition: () => pk, shards: 1, after: sk, before: `${sk}~`, consistent: true };
  for await (const { item } of entries(db, list, 100)) found.push(parseSubscription(item));
  return found;
};

/**
 * The writes that remove subscriptions with their guards, on condition that they were not replaced.
 * @param guarded the ids of those that have a guard; all of them, if not given
 */
export const unsubscribeWrites = (
  subscriptions: readonly Pick<Subscription, "player_id" | "subscription_id" | "endpoint">[],
  guarded?: ReadonlySet<string>,
): Write[] =>
  subscriptions.flatMap((subscription) => {
    const hash = endpointHash(subscription.endpoint);
    const expect = isUnchanged(subscription);
    const removal: Write = { remove: keys.subscription(subscription.player_id, hash), expect };
    const hasGuard = guarded?.has(subscription.subscription_id) ?? true;
    return hasGuard ? [removal, { remove: keys.endpoint(hash), expect }] : [removal];
  });

/**
 * The ids of those that have their guards. A copy of a running game may have some without, and nobody must be kept from what
 * ends or moves them.
 */
const guardedIds = async (db: Database, subscriptions: readonly Subscription[]): Promise<Set<string>> => {
  if (subscriptions.length === 0) return new Set();
  const guards = await db.getMany(subscriptions.map(({ endpoint }) => keys.endpoint(endpointHash(endpoint))));
  return new Set(guards.map((guard) => EndpointGuard.parse(guard).subscription_id));
};

/** The writes that remove subscriptions with the guards that they have, on condition that they were not replaced. */
export const endedWrites = async (db: Database, ended: readonly Subscription[]): Promise<Write[]> =>
  unsubscribeWrites(ended, await guardedIds(db, ended));

/** The writes that remove all subscriptions of a player. */
export const endedSubscriptionWrites = async (db: Database, playerId: string): Promise<Write[]> =>
  endedWrites(db, await subscriptionsOf(db, playerId));

/**
 * The writes that move subscriptions to another player id, on condition that they were not replaced. One without its guard
 * ends: its browser subscribes again.
 */
export const movedSubscriptionWrites = async (
  db: Database,
  subscriptions: readonly Subscription[],
  to: string,
  game: Pick<Game, "shards">,
): Promise<Write[]> => {
  const guarded = await guardedIds(db, subscriptions);
  return subscriptions.flatMap((subscription): Write[] => {
    const { player_id: from, subscription_id, endpoint } = subscription;
    const hash = endpointHash(endpoint);
    const expect = isUnchanged(subscription);
    const removal: Write = { remove: keys.subscription(from, hash), expect };
    if (!guarded.has(subscription_id)) return [removal];
    return [
      removal,
      { put: subscriptionItem({ ...subscription, player_id: to }, randomShard(game)), expect: "absent" },
      { put: { ...keys.endpoint(hash), player_id: to, subscription_id }, expect },
    ];
  });
};

/**
 * The writes that add a subscription. It replaces an earlier subscription with the same endpoint, of any player, and the
 * player's oldest ones if there are too many. A browser sends its subscription again each time that the app starts, so one that
 * the player has already stays as it is, and is returned.
 * @param read the player and the game as read for this attempt; the write is conditional on the player's `rev`
 * @param options how the endpoint's guard is read; the write is conditional on it
 */
export const subscribeWrites = async (
  store: Store,
  { player, game }: { player: Player; game: Game },
  subscription: Subscription,
  options: ReadOptions,
): Promise<{ writes: Write[]; stored: Subscription }> => {
  const hash = endpointHash(subscription.endpoint);
  const [guard, all] = await Promise.all([
    store.db.get(keys.endpoint(hash), options),
    subscriptionsOf(store.db, player.player_id),
  ]);
  const earlier = guard === undefined ? null : EndpointGuard.parse(guard);
  const isMove = earlier !== null && earlier.player_id !== player.player_id;
  const others = all.filter(({ endpoint }) => endpointHash(endpoint) !== hash);
  const replaced = all.find((one) => !others.includes(one));
  if (
    replaced !== undefined &&
    isSame(replaced, subscription) &&
    earlier?.subscription_id === replaced.subscription_id
  )
    return { writes: [], stored: replaced };
  const { player_id, subscription_id } = subscription;
  const writes: Write[] = [
    { put: playerItem({ ...player, rev: player.rev + 1 }), expect: { rev: player.rev } },
    {
      put: subscriptionItem(subscription, randomShard(game)),
      expect: replaced === undefined ? "absent" : isUnchanged(replaced),
    },
    {
      put: { ...keys.endpoint(hash), player_id, subscription_id },
      expect: earlier === null ? "absent" : isUnchanged(earlier),
    },
    // Without a condition of its own: it changes only together with its guard, and a copy of a running game may lack it.
    ...(isMove ? [{ remove: keys.subscription(earlier.player_id, hash) } satisfies Write] : []),
    ...(await endedWrites(store.db, subscriptionsToReplace(others))),
  ];
  return { writes, stored: subscription };
};

/** Parses an entry of the list of all subscriptions. */
export const parseSubscriptionEntry = ({ position, item }: Entry): Subscription =>
  Subscription.parse({ ...item, subscription_id: position.slice(position.lastIndexOf("#") + 1) });

/** All subscriptions between two positions. They come from an index, so some may have been removed already. */
export const subscriptionEntries = (
  { db }: Store,
  game: Game,
  expected: number,
  bounds: { after?: string | undefined; before?: string | undefined } = {},
): AsyncGenerator<Entry> =>
  entries(db, { index: "gsi1", partition: subscriptionsList, shards: game.shards, ...bounds }, expected);
