/**
 * Cursors: a position in one list with its filters. They are encrypted, because a position holds sort keys
 * that the reader may not know (ids among them), and so none can be made up or used for another list.
 */
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { invalid } from "../domain/refusal.ts";
import type { Services } from "./services.ts";

const ALGORITHM = "aes-256-gcm";
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Which list a cursor belongs to: its name and the filters it is read with. */
export interface Place {
  list: string;
  filters?: Record<string, string | boolean | undefined>;
}

const keyOf = ({ cursorKey }: Pick<Services, "cursorKey">): Buffer => {
  if (cursorKey === undefined) throw new Error("the setting CURSOR_KEY is missing");
  return Buffer.from(cursorKey, "base64url");
};

const belonging = ({ list, filters = {} }: Place): Buffer => Buffer.from(JSON.stringify([list, filters]));

/** The cursor of a position; `null` for none. */
export const makeCursor = (
  services: Pick<Services, "cursorKey">,
  place: Place,
  position: string | null,
): string | null => {
  if (position === null) return null;
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(services), nonce).setAAD(belonging(place));
  const sealed = Buffer.concat([cipher.update(position, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString("base64url");
};

/**
 * The position of a cursor.
 * @throws Refusal `invalid_request` for a cursor that is malformed, or of another list or filter
 */
export const readCursor = (
  services: Pick<Services, "cursorKey">,
  place: Place,
  cursor: string | undefined,
): string | undefined => {
  if (cursor === undefined) return undefined;
  const key = keyOf(services);
  const bytes = Buffer.from(cursor, "base64url");
  try {
    // Decoding passes over what is no base64url; such a cursor is none that was ever given.
    if (bytes.toString("base64url") !== cursor) throw new Error("not in its one form");
    const nonce = bytes.subarray(0, NONCE_BYTES);
    const decipher = createDecipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
      .setAAD(belonging(place))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    const sealed = bytes.subarray(NONCE_BYTES, -TAG_BYTES);
    return Buffer.concat([decipher.update(sealed), decipher.final()]).toString("utf8");
  } catch {
    throw invalid({ path: "cursor", message: "is not a cursor of this list with these filters" });
  }
};
