/** What push is about: the subscriptions by which browsers are reached, and the notifications sent to them. */
import * as z from "zod/mini";

/** Where a browser of a player's is reached, and the keys that only it can read with. */
export const Subscription = z.object({
  subscription_id: z.string(),
  player_id: z.string(),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  created_at: z.string(),
});
export type Subscription = z.infer<typeof Subscription>;

/** A message from a game master to everyone. */
export const Notification = z.object({
  notification_id: z.string(),
  player_id: z.string(),
  title: z.string(),
  content: z.string(),
  player_group: z.literal("All"),
  created_at: z.string(),
});
export type Notification = z.infer<typeof Notification>;

/** How many subscriptions a player may have. */
export const MOST_SUBSCRIPTIONS = 10;

const age = ({ created_at, subscription_id }: Subscription): string => `${created_at} ${subscription_id}`;

/** The subscriptions of a player that give way to one more: the oldest, when there are too many. */
export const givingWay = (own: readonly Subscription[]): Subscription[] =>
  own
    .toSorted((one, other) => (age(one) < age(other) ? -1 : 1))
    .slice(0, Math.max(0, own.length - MOST_SUBSCRIPTIONS + 1));
