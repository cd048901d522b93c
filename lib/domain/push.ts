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

/** How far a notification has come. */
export const Progress = z.object({
  /** How many it is for. */
  subscriptions: z._default(z.int(), 0),
  sent: z._default(z.int(), 0),
  failed: z._default(z.int(), 0),
  /** Removed, because the push service knows them no more. */
  expired: z._default(z.int(), 0),
  /** Pages of subscriptions that there are, and that nothing is left of. */
  pages: z._default(z.int(), 0),
  pages_done: z._default(z.int(), 0),
});
export type Progress = z.infer<typeof Progress>;

/** A notification and what became of it. */
export const SendResult = z.object({
  notification: Notification,
  /** How many there are. */
  subscriptions: z.int(),
  sent: z.int(),
  failed: z.int(),
  /** Removed, because the push service knows them no more. */
  expired: z.int(),
  /** Left to be tried, or tried again, after the request. */
  queued: z.int(),
});
export type SendResult = z.infer<typeof SendResult>;

/** What is neither sent nor given up. */
const queuedOf = ({ subscriptions, sent, failed, expired }: Progress): number =>
  Math.max(0, subscriptions - sent - failed - expired);

/** How many, as it is told: each subscription is one of the last four. */
export const countsOf = (progress: Progress) => {
  const { subscriptions, sent, failed, expired } = progress;
  return { subscriptions, sent, failed, expired, queued: queuedOf(progress) };
};

/** Whether nothing of it is left to be done. */
export const isDelivered = ({ pages, pages_done }: Progress): boolean => pages > 0 && pages_done >= pages;

/** How many subscriptions a player may have. */
export const MAX_SUBSCRIPTIONS = 10;

const age = ({ created_at, subscription_id }: Subscription): string => `${created_at} ${subscription_id}`;

/** The subscriptions of a player that give way to one more: the oldest, when there are too many. */
export const subscriptionsToReplace = (own: readonly Subscription[]): Subscription[] =>
  own
    .toSorted((one, other) => (age(one) < age(other) ? -1 : 1))
    .slice(0, Math.max(0, own.length - MAX_SUBSCRIPTIONS + 1));
