/** The keys of cursors, as lists use them. */
import { keyReader } from "./known.ts";
import type { CursorKey, KeySource } from "./secrets.ts";

const read = keyReader<CursorKey>(async (parameter) => {
  // Loaded with the first cursor: most lists are on one page.
  const { keptCursorKeys } = await import("./parameters.ts");
  return keptCursorKeys(parameter);
});

/** @throws DomainError `unavailable` while they cannot be had; Error where there are none */
export const cursorKeys = async (source: KeySource<CursorKey> | null): Promise<readonly CursorKey[]> => {
  if (source === null) throw new Error("the setting CURSOR_KEY is missing");
  return read(source);
};
