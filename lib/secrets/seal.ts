/**
 * Encrypts personal answers at rest: AES-256-GCM, with keys that are derived from those of cursors. So a copy of the table
 * alone tells none of them. What an older key has encrypted stays readable as long as that key is kept (`npm run rotate`).
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import { cursorKeys } from "./cursorKeys.ts";
import { keysToTry } from "./rotation.ts";
import type { CursorKey, KeySource } from "./secrets.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** A key of its own, so that nothing that encrypts cursors can meet what encrypts answers. */
const derived = ({ key }: CursorKey): Buffer =>
  createHmac("sha256", Buffer.from(key, "base64url")).update("answers of signatures").digest();

/**
 * Encrypts a text.
 * @param owner what the text belongs to; it cannot be decrypted for another owner
 * @param now in milliseconds since 1970
 * @throws DomainError `unavailable` if the keys cannot be read at the moment
 */
export const seal = async (
  source: KeySource<CursorKey> | null,
  owner: string,
  text: string,
  now: number,
): Promise<string> => {
  const [newest] = keysToTry(await cursorKeys(source), now);
  if (newest === undefined) throw new Error("the deployment has no key to encrypt with");
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, derived(newest), nonce).setAAD(Buffer.from(owner));
  const ciphertext = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString("base64url");
};

const open = (bytes: Buffer, key: CursorKey, owner: string): string | null => {
  try {
    const decipher = createDecipheriv(ALGORITHM, derived(key), bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    })
      .setAAD(Buffer.from(owner))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const ciphertext = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
  } catch {
    return null;
  }
};

/**
 * Decrypts a text of {@link seal}.
 * @returns `null` if none of the present keys has encrypted it for this owner
 * @throws DomainError `unavailable` if the keys cannot be read at the moment
 */
export const unseal = async (
  source: KeySource<CursorKey> | null,
  owner: string,
  sealed: string,
  now: number,
): Promise<string | null> => {
  const bytes = Buffer.from(sealed, "base64url");
  for (const key of keysToTry(await cursorKeys(source), now)) {
    const text = open(bytes, key, owner);
    if (text !== null) return text;
  }
  return null;
};
