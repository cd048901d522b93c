/** The keys of cursors, as lists use them. */
import { keysOf } from "./known.ts";
import type { CursorKey, KeySource } from "./secrets.ts";

/** @throws Refusal `unavailable` while they cannot be had; Error where there are none */
export const cursorKeys = async (source: KeySource<CursorKey> | null): Promise<readonly CursorKey[]> => {
  if (source === null) throw new Error("the setting CURSOR_KEY is missing");
  // Loaded with the first cursor: most lists are on one page.
  return keysOf(source, async (parameter) => (await import("./parameters.ts")).keptCursorKeys(parameter));
};
