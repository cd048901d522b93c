/** VAPID: how a push service knows who is sending (RFC 8292). */

import webPush from "web-push";
import { HOUR, SECOND } from "../domain/time.ts";
import type { VapidPair } from "../secrets/secrets.ts";

/** Of at most 24 hours. */
const GOOD_FOR = 12 * HOUR;
/** Signed anew when less is left. */
const LEFT_AT_LEAST = HOUR;

/** The `Authorization` header for messages to one push service. */
export type Signer = () => string;

/**
 * Signs for one push service, once, and anew before that runs out.
 * @param origin the service's
 * @param clock milliseconds since 1970
 */
export const vapidSigner = (
  origin: string,
  { publicKey, privateKey, subject }: VapidKeys,
  clock: () => number,
): Signer => {
  let header = "";
  let goodUntil = 0;
  return () => {
    if (goodUntil - clock() >= LEFT_AT_LEAST) return header;
    const until = clock() + GOOD_FOR;
    const expires = Math.floor(until / SECOND);
    const signed = webPush.getVapidHeaders(origin, subject, publicKey, privateKey, "aes128gcm", expires);
    header = signed.Authorization;
    goodUntil = until;
    return header;
  };
};

/** A key pair by which push services know this deployment (RFC 8292), and whom they may write to. */
export interface VapidKeys extends VapidPair {
  /** A `mailto:` or `https:` address. */
  subject: string;
}
