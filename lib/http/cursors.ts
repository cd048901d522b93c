/**
 * Cursors: a position in one list with its filters. They are encrypted, because a position holds sort keys that clients
 * must not see, such as ids, and so that nobody can forge a cursor or use it for another list.
 */
import { createCipheriv, createDecipheriv, createHmac } from "node:crypto";
import { invalidRequest } from "../domain/domainError.ts";
import type { Services } from "../lambda/services.ts";
import { cursorKeys } from "../secrets/cursorKeys.ts";
import { keysToTry } from "../secrets/rotation.ts";
import type { CursorKey } from "../secrets/secrets.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** The list that a cursor belongs to: its name and its filters. */
export interface CursorScope {
  list: string;
  filters?: Record<string, string | boolean | undefined>;
}

const authenticatedData = ({ list, filters = {} }: CursorScope): Buffer =>
  Buffer.from(JSON.stringify([list, filters]));

/**
 * The nonce of a position: a keyed hash of scope and position, so that a position always has the same cursor and no two
 * positions share a nonce (docs/decisions/0046-cursor-nonces.md). The hash has a key of its own, derived from that of
 * the cipher.
 */
const nonceOf = (key: Buffer, scope: Buffer, position: string): Buffer => {
  const derived = createHmac("sha256", key).update("nonces of cursors").digest();
  // The scope is JSON on one line, so the line break separates it from the position.
  return createHmac("sha256", derived).update(`${scope}\n${position}`).digest().subarray(0, NONCE_BYTES);
};

const bytesOf = ({ key }: CursorKey): Buffer => Buffer.from(key, "base64url");

const decrypt = (bytes: Buffer, key: CursorKey, scope: CursorScope): string | undefined => {
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, bytesOf(key), nonce, { authTagLength: TAG_BYTES })
      .setAAD(authenticatedData(scope))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const ciphertext = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
};

/** Encrypts a position; `null` stays `null`. */
export const makeCursor = async (
  services: Pick<Services, "cursorKeys" | "clock">,
  scope: CursorScope,
  position: string | null,
): Promise<string | null> => {
  if (position === null) return null;
  const [newest] = keysToTry(await cursorKeys(services.cursorKeys), services.clock());
  if (newest === undefined) throw new Error("the deployment has no key for cursors");
  const key = bytesOf(newest);
  const authenticated = authenticatedData(scope);
  const nonce = nonceOf(key, authenticated, position);
  const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(authenticated);
  const ciphertext = Buffer.concat([cipher.update(position, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, ciphertext, cipher.getAuthTag()]).toString("base64url");
};

/**
 * Decrypts a cursor to its position.
 * @throws DomainError `invalid_request` for a cursor that is malformed, or of another list or filter; errors of
 *   {@link cursorKeys}
 */
export const readCursor = async (
  services: Pick<Services, "cursorKeys" | "clock">,
  scope: CursorScope,
  cursor: string | undefined,
): Promise<string | undefined> => {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, "base64url");
  // Decoding ignores characters that are not base64url; a valid cursor has none.
  const isBase64url = bytes.toString("base64url") === cursor;
  // Cursors from before a key rotation stay valid.
  const keys = isBase64url ? keysToTry(await cursorKeys(services.cursorKeys), services.clock()) : [];
  for (const key of keys) {
    const position = decrypt(bytes, key, scope);
    if (position !== undefined) return position;
  }
  throw invalidRequest({ path: "cursor", message: "is not a cursor of this list with these filters" });
};

/**
 * Reads a page of a list after the position of a cursor.
 * @param read gets the position, and returns the position after its page in `next`
 * @returns the page, with the cursor of the next one
 * @throws DomainError as {@link readCursor}
 */
export const paged = async <T extends { next: string | null }>(
  services: Pick<Services, "cursorKeys" | "clock">,
  scope: CursorScope,
  cursor: string | undefined,
  read: (after: string | undefined) => Promise<T>,
): Promise<Omit<T, "next"> & { next_cursor: string | null }> => {
  const { next, ...page } = await read(await readCursor(services, scope, cursor));
  return { ...page, next_cursor: await makeCursor(services, scope, next) };
};
