/** The payloads of pushed messages. */
import { type GameEvent, isUrgent, pageOf, pushKindOf, tagOf } from "../domain/events/gameEvents.ts";
import { PAGES } from "../domain/notifications/pages.ts";
import type { Notification } from "../domain/notifications/push.ts";
import type { PushText } from "../domain/notifications/pushTexts.ts";
import { sha256 } from "../runtime/sha256.ts";
import type { Outgoing } from "./deliver.ts";

type Push = Pick<Outgoing, "message" | "topic" | "urgency">;

/** Push services accept at least 4,096 bytes, including what encryption adds. */
export const MAX_MESSAGE_BYTES = 3 * 1024;

/**
 * A message in the format of Declarative Web Push. Browsers that support it need no service worker, and service workers can
 * read it.
 * @param tag browsers show messages with the same tag once
 */
const declarative = (
  { title, body }: PushText,
  tag: string,
  navigate: string,
  more: Record<string, unknown>,
): Buffer =>
  Buffer.from(JSON.stringify({ web_push: 8030, notification: { title, body, navigate, tag }, ...more }));

/** Says in a push who has sent it; the inbox says it beside the message. Which game master it was is in the log. */
const SENDER = "Game masters: ";

/** The payload of a game master's notification. */
export const notificationMessage = ({
  notification_id,
  title,
  content,
  created_at,
  page,
}: Notification): Buffer =>
  declarative({ title: `${SENDER}${title}`, body: content }, notification_id, PAGES[page ?? "inbox"], {
    notification_id,
    created_at,
  });

/**
 * The `Topic` of a message (RFC 8030, section 5.4): 32 characters of base64url. While a browser is offline, its push service
 * stores only the last message of each topic.
 */
const pushTopic = (tag: string): string =>
  /^[\da-f-]{36}$/.test(tag) ? tag.replaceAll("-", "") : sha256(tag).slice(0, 32);

/** The push of a game master's notification. */
export const notificationPush = (notification: Notification): Push => ({
  message: notificationMessage(notification),
  topic: pushTopic(notification.notification_id),
});

/** The push of a game event, with the text for its recipient. */
export const eventPush = (event: GameEvent, text: PushText): Push => ({
  message: declarative(text, tagOf(event), pageOf(event), {
    kind: pushKindOf(event),
    at: event.at,
  }),
  topic: pushTopic(tagOf(event)),
  urgency: isUrgent(event) ? "high" : "normal",
});
