/**
 * Cursors: a position in one list with its filters. They are encrypted, because a position holds sort keys
 * that the reader may not know (ids among them), and so none can be made up or used for another list.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { invalid } from "../domain/domainError.ts";
import type { Services } from "../lambda/services.ts";
import { cursorKeys } from "../secrets/cursorKeys.ts";
import { keysToTry } from "../secrets/rotation.ts";
import type { CursorKey } from "../secrets/secrets.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Which list a cursor belongs to: its name and the filters it is read with. */
export interface CursorScope {
  list: string;
  filters?: Record<string, string | boolean | undefined>;
}

const belonging = ({ list, filters = {} }: CursorScope): Buffer =>
  Buffer.from(JSON.stringify([list, filters]));

const bytesOf = ({ key }: CursorKey): Buffer => Buffer.from(key, "base64url");

const opened = (bytes: Buffer, key: CursorKey, place: CursorScope): string | undefined => {
  try {
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, bytesOf(key), nonce, { authTagLength: TAG_BYTES })
      .setAAD(belonging(place))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const sealed = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
};

/** The cursor of a position; `null` for none. */
export const makeCursor = async (
  services: Pick<Services, "cursorKeys" | "clock">,
  place: CursorScope,
  position: string | null,
): Promise<string | null> => {
  if (position === null) return null;
  const [used] = keysToTry(await cursorKeys(services.cursorKeys), services.clock());
  if (used === undefined) throw new Error("the deployment has no key for cursors");
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, bytesOf(used), nonce).setAAD(belonging(place));
  const sealed = Buffer.concat([cipher.update(position, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
};

/**
 * The position of a cursor.
 * @throws DomainError `invalid_request` for a cursor that is malformed, or of another list or filter
 */
export const readCursor = async (
  services: Pick<Services, "cursorKeys" | "clock">,
  place: CursorScope,
  cursor: string | undefined,
): Promise<string | undefined> => {
  if (cursor === undefined) return undefined;
  const bytes = Buffer.from(cursor, "base64url");
  // Decoding passes over what is no base64url; such a cursor is none that was ever given.
  const isOne = bytes.toString("base64url") === cursor;
  // One that was given before the key was changed is good as well.
  const keys = isOne ? keysToTry(await cursorKeys(services.cursorKeys), services.clock()) : [];
  for (const key of keys) {
    const position = opened(bytes, key, place);
    if (position !== undefined) return position;
  }
  throw invalid({ path: "cursor", message: "is not a cursor of this list with these filters" });
};
