/** The rules by which a push service accepts or rejects messages (RFC 8030, RFC 8292). */
import type { IncomingHttpHeaders } from "node:http";
import * as z from "zod/mini";
import { DAY } from "../../lib/domain/time.ts";
import { readVapid } from "./webPush.ts";

/** A message as it is sent. */
export interface Posted {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** What the sender must match. */
export interface Allowed {
  /** The origin of the push service. */
  origin: string;
  /** The key that the browser subscribed with, in base64url; `null` if it gave none. */
  key: string | null;
}

const MOST_BYTES = 4_096;

const Claims = z.object({
  aud: z.string(),
  exp: z.number(),
  sub: z.string().check(z.regex(/^(mailto:|https:)/)),
});

const isSender = (authorization: string, { origin, key }: Allowed, now: number): boolean => {
  try {
    const vapid = readVapid(authorization);
    const { aud, exp } = Claims.parse(vapid.claims);
    const ahead = exp * 1_000 - now;
    return aud === origin && ahead > 0 && ahead <= DAY && (key === null || vapid.key === key);
  } catch {
    return false;
  }
};

/** Returns the status for a rejected message, or `null` if it is accepted. */
export const rejectionStatus = ({ headers, body }: Posted, allowed: Allowed, now: number): number | null => {
  const { authorization, ttl, topic, "content-encoding": encoding } = headers;
  if (authorization?.startsWith("vapid ") !== true) return 401;
  if (!isSender(authorization, allowed, now)) return 403;
  if (encoding !== "aes128gcm" || !/^\d+$/.test(String(ttl))) return 400;
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) return 400;
  return body.length > MOST_BYTES ? 413 : null;
};
