/** The keys of cursors, as lists use them. */
import { keyReader } from "./keyReader.ts";
import type { CursorKey, KeySource } from "./secrets.ts";

const read = keyReader<CursorKey>(async (parameter) => {
  // Loaded with the first cursor: most lists are on one page.
  const { cachedCursorKeys } = await import("./parameters.ts");
  return cachedCursorKeys(parameter);
});

/** @throws DomainError `unavailable` while they cannot be had; Error where there are none */
export const cursorKeys = async (source: KeySource<CursorKey> | null): Promise<readonly CursorKey[]> => {
  if (source === null) throw new Error("the setting CURSOR_KEY is missing");
  return read(source);
};
