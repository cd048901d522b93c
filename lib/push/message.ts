/** The pushed message: what a browser is told, and under which name it shows once. */
import { createHash } from "node:crypto";
import { type GameEvent, type PushText, pushKindOf } from "../domain/gameEvents.ts";
import type { Notification } from "../domain/push.ts";

/** What a push service carries for certain: 4,096 bytes with all that encryption adds. */
export const MAX_MESSAGE_BYTES = 3 * 1024;

/**
 * A message as Declarative Web Push has it, so that a browser which knows that form needs no service worker, and
 * any service worker can read it.
 * @param tag lets a message that comes twice show once
 */
const declarative = ({ title, body }: PushText, tag: string, more: Record<string, unknown>): Buffer =>
  Buffer.from(JSON.stringify({ web_push: 8030, notification: { title, body, navigate: "/", tag }, ...more }));

/** A game master's notification. */
export const notificationMessage = ({ notification_id, title, content, created_at }: Notification): Buffer =>
  declarative({ title, body: content }, notification_id, { notification_id, created_at });

/** An event of the game, in the words for whom it is told to. */
export const eventMessage = (event: GameEvent, words: PushText): Buffer =>
  declarative(words, event.id, { kind: pushKindOf(event), at: event.at });

/**
 * The `Topic` of a message (RFC 8030, section 5.4): 32 characters of base64url. While a browser is away, its push
 * service keeps just the last message of a topic.
 */
export const pushTopic = (tag: string): string =>
  /^[\da-f-]{36}$/.test(tag)
    ? tag.replaceAll("-", "")
    : createHash("sha256").update(tag).digest("base64url").slice(0, 32);
