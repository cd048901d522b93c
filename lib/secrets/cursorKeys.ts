/** The keys that encrypt cursors of lists. */
import { keyReader } from "./keyReader.ts";
import type { CursorKey, KeySource } from "./secrets.ts";

const read = keyReader<CursorKey>(async (parameter) => {
  // Imported on demand: most lists have one page and need no cursor.
  const { cachedCursorKeys } = await import("./parameters.ts");
  return cachedCursorKeys(parameter);
});

/**
 * Reads the keys.
 * @throws DomainError `unavailable` if they cannot be read at the moment; Error if they have no source, or if their
 *   parameter is missing, forbidden or malformed
 */
export const cursorKeys = async (source: KeySource<CursorKey> | null): Promise<readonly CursorKey[]> => {
  if (source === null) throw new Error("the setting CURSOR_KEY is missing");
  return read(source);
};
