/**
 * Encrypts a message for one browser (RFC 8291, `aes128gcm` of RFC 8188). Broadcasts spend most of their CPU time here.
 * Measured on Node.js 24, per message: this code 125 µs, `encrypt` of web-push 220 µs. Of this, the key derivation takes
 * 10 µs; with `hkdfSync` it takes 17 µs for key objects and 28 µs for buffers.
 */
import { createCipheriv, createECDH, createSecretKey, hash, randomFillSync } from "node:crypto";
import type { Subscription } from "../domain/notifications/push.ts";

/** The declared record size, which every push service accepts. */
const RECORD = 4_096;
const SALT = 16;
const SECRET = 16;
const POINT = 65;
const TAG = 16;
/** Salt, record size, length of the key, and the key. */
const HEADER = SALT + 4 + 1 + POINT;
const END_OF_RECORD = Buffer.from([2]);

const KEY_INFO = Buffer.from("WebPush: info\0");
// The number of HKDF's first and only block.
const BLOCK_NUMBER = Buffer.from([1]);
const CONTENT_INFO = Buffer.from("Content-Encoding: aes128gcm\0\x01");
const NONCE_INFO = Buffer.from("Content-Encoding: nonce\0\x01");

// Shared by all messages, with a new key pair for each: creating the object takes longer than creating a pair.
const curve = createECDH("prime256v1");

// HMAC-SHA-256 with two hashes takes 3 µs on Node.js 24, createHmac 11 µs.
const BLOCK = 64;
const inner = Buffer.alloc(BLOCK + KEY_INFO.length + 2 * POINT + BLOCK_NUMBER.length);
const outer = Buffer.alloc(BLOCK + 32);

const setKey = (key: Buffer): void => {
  inner.fill(0x36, 0, BLOCK);
  outer.fill(0x5c, 0, BLOCK);
  for (const [at, byte] of key.entries()) {
    inner[at] = 0x36 ^ byte;
    outer[at] = 0x5c ^ byte;
  }
};

/** HMAC with the key that was set. */
const hmac = (data: Buffer): Buffer => {
  data.copy(inner, BLOCK);
  hash("sha256", inner.subarray(0, BLOCK + data.length), "buffer").copy(outer, BLOCK);
  return hash("sha256", outer, "buffer");
};

/** The random values of a message; only tests set them. */
interface RandomValues {
  privateKey: Buffer;
  salt: Buffer;
}

const publicKeyOf = ({ privateKey }: RandomValues): Buffer => {
  curve.setPrivateKey(privateKey);
  return curve.getPublicKey();
};

/**
 * Encrypts a message with a new key pair and a new salt.
 * @throws Error if the subscription's keys are invalid; RangeError if the message is too long for one record
 */
export const encrypt = (
  message: Buffer,
  { p256dh, auth }: Pick<Subscription, "p256dh" | "auth">,
  given?: RandomValues,
): Buffer => {
  const length = HEADER + message.length + END_OF_RECORD.length + TAG;
  if (length - HEADER > RECORD) throw new RangeError("the message does not fit into one record");
  const theirs = Buffer.from(p256dh, "base64url");
  if (theirs.length !== POINT) throw new RangeError("the browser's key must be an uncompressed point");
  const secret = Buffer.from(auth, "base64url");
  if (secret.length !== SECRET) throw new RangeError("the authentication secret must have 16 bytes");
  const ours = given === undefined ? curve.generateKeys() : publicKeyOf(given);

  const body = Buffer.allocUnsafe(length);
  if (given === undefined) randomFillSync(body, 0, SALT);
  else given.salt.copy(body);
  body.writeUInt32BE(RECORD, SALT);
  body[SALT + 4] = POINT;
  ours.copy(body, SALT + 5);

  setKey(secret);
  setKey(hmac(curve.computeSecret(theirs)));
  const input = hmac(Buffer.concat([KEY_INFO, theirs, ours, BLOCK_NUMBER]));
  setKey(body.subarray(0, SALT));
  setKey(hmac(input));
  // A cipher is created three times faster with a key object than with bytes.
  const key = createSecretKey(hmac(CONTENT_INFO).subarray(0, 16));
  const cipher = createCipheriv("aes-128-gcm", key, hmac(NONCE_INFO).subarray(0, 12));
  cipher.update(message).copy(body, HEADER);
  cipher.update(END_OF_RECORD).copy(body, HEADER + message.length);
  cipher.final();
  cipher.getAuthTag().copy(body, length - TAG);
  return body;
};
