/** Push subscriptions, notifications and their progress. */
import * as z from "zod/mini";

/** A push subscription of a player's browser: its endpoint and its public keys. */
export const Subscription = z.object({
  subscription_id: z.string(),
  player_id: z.string(),
  endpoint: z.string(),
  p256dh: z.string(),
  auth: z.string(),
  created_at: z.string(),
});
export type Subscription = z.infer<typeof Subscription>;

/** A message from a game master to all players. */
export const Notification = z.object({
  notification_id: z.string(),
  player_id: z.string(),
  title: z.string(),
  content: z.string(),
  player_group: z.literal("All"),
  created_at: z.string(),
});
export type Notification = z.infer<typeof Notification>;

/** The delivery progress of a notification, in numbers of subscriptions and pages. */
export const Progress = z.object({
  /** All subscriptions that it is sent to. */
  subscriptions: z._default(z.int(), 0),
  sent: z._default(z.int(), 0),
  failed: z._default(z.int(), 0),
  /** Removed because the push service reported them as expired. */
  expired: z._default(z.int(), 0),
  /** Planned pages of subscriptions, and completed ones. */
  pages: z._default(z.int(), 0),
  pages_done: z._default(z.int(), 0),
});
export type Progress = z.infer<typeof Progress>;

/** A notification and its delivery counts. */
export const SendResult = z.object({
  notification: Notification,
  subscriptions: z.int(),
  sent: z.int(),
  failed: z.int(),
  /** Removed because the push service reported them as expired. */
  expired: z.int(),
  /** Sent or retried after the response. */
  queued: z.int(),
});
export type SendResult = z.infer<typeof SendResult>;

const queuedOf = ({ subscriptions, sent, failed, expired }: Progress): number =>
  Math.max(0, subscriptions - sent - failed - expired);

/** The counts of a response: each subscription is counted in one of the last four. */
export const countsOf = (progress: Progress) => {
  const { subscriptions, sent, failed, expired } = progress;
  return { subscriptions, sent, failed, expired, queued: queuedOf(progress) };
};

/** Whether all pages are done. */
export const isDelivered = ({ pages, pages_done }: Progress): boolean => pages > 0 && pages_done >= pages;

/** The number of subscriptions that a player may have. */
export const MAX_SUBSCRIPTIONS = 10;

const age = ({ created_at, subscription_id }: Subscription): string => `${created_at} ${subscription_id}`;

/** The oldest subscriptions of a player, which must be removed before one more is added. */
export const subscriptionsToReplace = (own: readonly Subscription[]): Subscription[] =>
  own
    .toSorted((one, other) => (age(one) < age(other) ? -1 : 1))
    .slice(0, Math.max(0, own.length - MAX_SUBSCRIPTIONS + 1));
