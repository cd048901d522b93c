/** VAPID: how a push service knows who is sending (RFC 8292). */
import webPush from "web-push";
import type { VapidKeys } from "./settings.ts";

/** The `Authorization` header for a message to this URL. */
export type Signer = (url: URL) => string;

/**
 * Signs for one key pair: once for each push service, good for twelve hours. A signer is to be let go of
 * before that.
 */
export const vapidSigner = ({ publicKey, privateKey, subject }: VapidKeys): Signer => {
  const signed = new Map<string, string>();
  return ({ origin }) => {
    const known = signed.get(origin);
    if (known !== undefined) return known;
    const headers = webPush.getVapidHeaders(origin, subject, publicKey, privateKey, "aes128gcm");
    signed.set(origin, headers.Authorization);
    return headers.Authorization;
  };
};
