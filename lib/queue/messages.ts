/**
 * Messages to the workers. They contain only ids, no personal data. Two names on the queue differ from those in the
 * code, because an earlier version may read them (docs/decisions/0025-versions.md): `spread` and `baton`.
 */
import * as z from "zod/mini";
import { GameEvent } from "../domain/events/gameEvents.ts";

/** The subject of a broadcast: a stored notification, or a game event. */
export const Subject = z.union([
  z.object({ notification_id: z.string(), shard: z.int() }),
  z.object({ event: GameEvent }),
]);
export type Subject = z.infer<typeof Subject>;

/** A range of the list of all subscriptions, by hashes of endpoints; `after` is exclusive, `upTo` inclusive. */
const SubscriptionRange = { after: z.string(), upTo: z.nullable(z.string()) };

/** Plan further pages of a broadcast, or queue the planned ones. */
const PlanBroadcast = z.pipe(
  z.object({ kind: z.literal("spread"), subject: Subject, plan: z.int() }),
  z.transform(({ subject, plan }) => ({ kind: "plan_broadcast" as const, subject, plan })),
);

/** Deliver a page of a broadcast. `round` counts the retries. */
export const PushPage = z.object({
  kind: z.literal("page"),
  subject: Subject,
  page: z.int(),
  ...SubscriptionRange,
  /** The number of subscriptions when it was planned. */
  planned: z.int(),
  round: z.int(),
  /** The earliest time of the delivery, in milliseconds since 1970. */
  notBefore: z.number(),
});
export type PushPage = z.infer<typeof PushPage>;

/**
 * An event for one player, with the numbers of attempts and rounds. `pending` contains the hashes of the endpoints that
 * remain; if it is absent, all remain.
 */
export const Announcement = z.object({
  event: GameEvent,
  to: z.string(),
  tries: z.int(),
  round: z.int(),
  pending: z.optional(z.array(z.string())),
});
export type Announcement = z.infer<typeof Announcement>;

/** Send events to single players. */
const Announce = z.object({
  kind: z.literal("announce"),
  announcements: z.array(Announcement),
  notBefore: z.number(),
});

/**
 * Continue bulk work: record starvations, enforce a checkpoint or undo that. Unfinished work is queued again only with
 * the current fencing token, or without a token if no other sweep continues it.
 */
const Sweep = z.pipe(
  z.object({ kind: z.literal("sweep"), baton: z.optional(z.string()) }),
  z.transform(({ kind, baton }) => ({ kind, fencingToken: baton })),
);

/** Continue a job on selected players, if it is not complete: their feeding, a command, a mission's rewards, invitations. */
const JobMessage = z.object({ kind: z.enum(["feed", "group", "mission", "invite"]), job_id: z.string() });
export type JobMessage = z.infer<typeof JobMessage>;

/**
 * Continue the deletion of an account, if it is not complete. `action` and `actor` are for the log; `left_at` is when
 * the player left, in milliseconds since 1970; `returns` is the player's at that time.
 */
export const Removal = z.object({
  kind: z.literal("removal"),
  player_id: z.string(),
  action: z.enum(["delete_player", "remove_player"]),
  actor: z.string(),
  left_at: z.optional(z.number()),
  returns: z.optional(z.number()),
});
export type Removal = z.infer<typeof Removal>;

/** Check tags of players who may be newcomers. */
export const NewcomerTags = z.object({
  kind: z.literal("newcomers"),
  tags: z.array(
    z.object({ interaction_id: z.string(), hunter: z.string(), target: z.string(), at: z.string() }),
  ),
});
export type NewcomerTags = z.infer<typeof NewcomerTags>;

/**
 * Send interactions to a webhook, or a test without any. `since` is when the message was first queued. `news` is the
 * notification whose news are sent instead. Its id stands among the interactions too: a version that knows no news looks for
 * it there, finds nothing and sends nothing.
 */
const WebhookMessage = z.object({
  kind: z.literal("webhook"),
  webhook_id: z.string(),
  delivery_id: z.string(),
  interactions: z.array(z.string()),
  news: z.optional(z.string()),
  since: z.number(),
  notBefore: z.number(),
});

/** Send a mail of the outbox. `notBefore` is its slot, in milliseconds since 1970. */
const MailMessage = z.object({ kind: z.literal("mail"), mail_id: z.string(), notBefore: z.number() });

const QueueMessage = z.discriminatedUnion("kind", [
  PlanBroadcast,
  PushPage,
  Announce,
  Sweep,
  JobMessage,
  Removal,
  NewcomerTags,
  WebhookMessage,
  MailMessage,
]);
export type QueueMessage = z.infer<typeof QueueMessage>;

/** Parses the body of a message. @throws Error if it is not a message */
export const decodeMessage = (body: string): QueueMessage => QueueMessage.parse(JSON.parse(body));
