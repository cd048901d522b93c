/** VAPID headers, which identify the sender to push services (RFC 8292). */
import webPush from "web-push";
import { HOUR, SECOND } from "../domain/time.ts";
import type { VapidPair } from "../secrets/secrets.ts";

/** RFC 8292 allows at most 24 hours. */
const LIFETIME_MS = 12 * HOUR;
/** A header with less time left is replaced. */
const MIN_LEFT_MS = HOUR;

/** Returns the `Authorization` header for messages to one push service. */
export type Signer = () => string;

/**
 * Makes a signer for one push service. It reuses a header until shortly before it expires.
 * @param origin of the push service
 * @param clock returns milliseconds since 1970
 */
export const vapidSigner = (
  origin: string,
  { publicKey, privateKey, subject }: VapidKeys,
  clock: () => number,
): Signer => {
  let header = "";
  let validUntil = 0;
  return () => {
    if (validUntil - clock() >= MIN_LEFT_MS) return header;
    const until = clock() + LIFETIME_MS;
    const expires = Math.floor(until / SECOND);
    const signed = webPush.getVapidHeaders(origin, subject, publicKey, privateKey, "aes128gcm", expires);
    header = signed.Authorization;
    validUntil = until;
    return header;
  };
};

/** A key pair that identifies this deployment, with the contact for push services. */
export interface VapidKeys extends VapidPair {
  /** A `mailto:` or `https:` address. */
  subject: string;
}
