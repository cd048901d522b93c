/** The pushed message: what a browser is told, and its encryption for one subscription (RFC 8291). */
import webPush from "web-push";
import type { Notification, Subscription } from "../domain/push.ts";

/** What a push service carries for certain: 4,096 bytes with all that encryption adds. */
export const MOST_MESSAGE_BYTES = 3 * 1024;

/**
 * A notification as Declarative Web Push has it, so that a browser which knows that form needs no service
 * worker, and any service worker can read it. Its tag lets a message that comes twice show once.
 */
export const messageOf = ({ notification_id, title, content, created_at }: Notification): Buffer =>
  Buffer.from(
    JSON.stringify({
      web_push: 8030,
      notification: { title, body: content, navigate: "/", tag: notification_id },
      notification_id,
      created_at,
    }),
  );

/** The message as only this subscription's browser can read it; keys and salt are fresh each time. */
export const encrypted = (message: Buffer, { p256dh, auth }: Subscription): Buffer =>
  webPush.encrypt(p256dh, auth, message, "aes128gcm").cipherText;
