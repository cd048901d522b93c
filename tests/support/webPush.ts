/** The other end of Web Push: a browser's keys and its decryption, and a push service's check of who is sending (RFC 8292). */
import { createECDH, createPublicKey, type ECDH, randomBytes, randomUUID, verify } from "node:crypto";
import { createRequire } from "node:module";
import type { Subscription } from "../../lib/domain/notifications/push.ts";

const fromBase64url = (text: string): Buffer => Buffer.from(text, "base64url");

/** A browser with one subscription. */
export interface Browser {
  p256dh: string;
  auth: string;
  /** Decrypts a message. @throws Error if it was encrypted for another browser, or was changed */
  decrypt: (body: Buffer) => string;
}

const require = createRequire(import.meta.url);
/** `http_ece`, which web-push depends on, decrypts messages (RFC 8291, RFC 8188). It has no types. */
const ece: {
  decrypt: (body: Buffer, keys: { version: "aes128gcm"; privateKey: ECDH; authSecret: Buffer }) => Buffer;
} = require("http_ece");

export const makeBrowser = (): Browser => {
  const privateKey = createECDH("prime256v1");
  const authSecret = randomBytes(16);
  return {
    p256dh: privateKey.generateKeys("base64url"),
    auth: authSecret.toString("base64url"),
    decrypt: (body) => ece.decrypt(body, { version: "aes128gcm", privateKey, authSecret }).toString(),
  };
};

/** A subscription of a browser, by default of a new one. */
export const makeSubscription = (
  endpoint: string,
  { p256dh, auth }: Pick<Browser, "p256dh" | "auth"> = makeBrowser(),
): Subscription => ({
  subscription_id: randomUUID(),
  player_id: randomUUID(),
  endpoint,
  p256dh,
  auth,
  created_at: new Date(0).toISOString(),
});

/** Verifies a VAPID header by the key that it names. @returns the key, the token's header and its claims */
export const readVapid = (header: string | undefined) => {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header ?? "") ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const [x, y] = [fromBase64url(key).subarray(1, 33), fromBase64url(key).subarray(33)];
  const jwk = { kty: "EC", crv: "P-256", x: x.toString("base64url"), y: y.toString("base64url") };
  const publicKey = { key: createPublicKey({ format: "jwk", key: jwk }), dsaEncoding: "ieee-p1363" } as const;
  const signed = Buffer.from(`${head}.${claims}`);
  if (!verify("sha256", signed, publicKey, fromBase64url(signature)))
    throw new Error("the VAPID signature is wrong");
  const read = (part: string): Record<string, unknown> => JSON.parse(fromBase64url(part).toString());
  return { key, head: read(head), claims: read(claims) };
};
