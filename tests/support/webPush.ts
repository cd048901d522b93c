/**
 * The other end of Web Push, on node:crypto alone: a browser's keys and its decryption (RFC 8291, RFC 8188), and
 * a push service's check of who is sending (RFC 8292).
 */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  randomUUID,
  verify,
} from "node:crypto";
import type { Subscription } from "../../lib/domain/push.ts";

const fromBase64url = (text: string): Buffer => Buffer.from(text, "base64url");

/** A browser with one subscription. */
export interface Browser {
  p256dh: string;
  auth: string;
  /** What a message says. @throws Error for one that was not meant for it, or was changed */
  decrypt: (body: Buffer) => string;
}

const hkdf = (salt: Buffer, key: Buffer, info: Buffer, length: number): Buffer =>
  Buffer.from(hkdfSync("sha256", key, salt, info, length));

/** Decrypts `aes128gcm` for the holder of these keys. */
export const decryptMessage = (body: Buffer, own: ECDH, auth: Buffer): Buffer => {
  const salt = body.subarray(0, 16);
  const recordSize = body.readUInt32BE(16);
  const idLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + idLength);
  const records = body.subarray(21 + idLength);
  if (records.length > recordSize) throw new Error("a push message must be a single record");

  const info = Buffer.concat([Buffer.from("WebPush: info\0"), own.getPublicKey(), sender]);
  const input = hkdf(auth, own.computeSecret(sender), info, 32);
  const key = hkdf(salt, input, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = hkdf(salt, input, Buffer.from("Content-Encoding: nonce\0"), 12);

  const decipher = createDecipheriv("aes-128-gcm", key, nonce);
  decipher.setAuthTag(records.subarray(-16));
  const padded = Buffer.concat([decipher.update(records.subarray(0, -16)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== 2) throw new Error("the last record must end with a 2");
  return padded.subarray(0, end);
};

export const makeBrowser = (): Browser => {
  const own = createECDH("prime256v1");
  own.generateKeys();
  const auth = randomBytes(16);
  return {
    p256dh: own.getPublicKey("base64url"),
    auth: auth.toString("base64url"),
    decrypt: (body) => decryptMessage(body, own, auth).toString("utf8"),
  };
};

/** A subscription of a browser that nobody reads the messages of, unless it is given. */
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

/** The claims of a VAPID header, once its signature by the key that it names has been verified. */
export const readVapid = (header: string | undefined) => {
  const [, token = "", key = ""] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(header ?? "") ?? [];
  const [head = "", claims = "", signature = ""] = token.split(".");
  const point = fromBase64url(key);
  const publicKey = createPublicKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
    },
  });
  const isSigned = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key: publicKey, dsaEncoding: "ieee-p1363" },
    fromBase64url(signature),
  );
  if (!isSigned) throw new Error("the VAPID signature is wrong");
  const read = (part: string): Record<string, unknown> => JSON.parse(fromBase64url(part).toString());
  return { key, head: read(head), claims: read(claims) };
};
