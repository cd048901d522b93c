/** Messages to the workers: what each asks for, and how it is written. They hold ids alone, nothing personal. */
import * as z from "zod/mini";
import { GameEvent } from "../domain/gameEvents.ts";

/** What a broadcast says: a game master's notification by where it lies, or an event of the game. */
export const Subject = z.union([
  z.object({ notification_id: z.string(), shard: z.int() }),
  z.object({ event: GameEvent }),
]);
export type Subject = z.infer<typeof Subject>;

/** A stretch of the list of all subscriptions, by hashes of endpoints: after the one, up to the other. */
const Stretch = { after: z.string(), upTo: z.nullable(z.string()) };

/** Plan the pages of a broadcast from where the last plan ended, or put those that are planned on the queue. */
const Spread = z.object({ kind: z.literal("spread"), subject: Subject, plan: z.int() });

/** Deliver a page of a broadcast; `round` counts how often those that may be retried have been taken up. */
export const Page = z.object({
  kind: z.literal("page"),
  subject: Subject,
  page: z.int(),
  ...Stretch,
  /** How many subscriptions it was planned with. */
  planned: z.int(),
  round: z.int(),
  /** Not before this instant, in milliseconds since 1970. */
  notBefore: z.number(),
});
export type Page = z.infer<typeof Page>;

/**
 * An event of the game for one player: tried so often, taken up so often. `pending` names the subscriptions that are
 * left, by hashes of their endpoints; all of them when absent.
 */
export const Announcement = z.object({
  event: GameEvent,
  to: z.string(),
  tries: z.int(),
  round: z.int(),
  pending: z.optional(z.array(z.string())),
});
export type Announcement = z.infer<typeof Announcement>;

/** Tell players what has happened to them. */
const Announce = z.object({
  kind: z.literal("announce"),
  announcements: z.array(Announcement),
  notBefore: z.number(),
});

/**
 * Go on with bulk work that was left: starvations to record, a checkpoint to enforce. Whoever holds the `baton` may go on
 * further; a message without one does what there is to be done.
 */
const Sweep = z.object({ kind: z.literal("sweep"), baton: z.optional(z.string()) });

/** Go on with a feeding, where it is not done. */
const Feed = z.object({ kind: z.literal("feed"), job_id: z.string() });

/** Go on with the deletion of an account, where it is not gone; `action` and `actor` are for the log. */
export const Removal = z.object({
  kind: z.literal("removal"),
  player_id: z.string(),
  action: z.string(),
  actor: z.string(),
});
export type Removal = z.infer<typeof Removal>;

export const QueueMessage = z.discriminatedUnion("kind", [Spread, Page, Announce, Sweep, Feed, Removal]);
export type QueueMessage = z.infer<typeof QueueMessage>;
