/** What was ended and is open again keeps its entry. */
import { rfc3339 } from "./time.ts";

/**
 * The entries of endings, of which the latest is marked as reopened.
 * @param by who has reopened it, by player id
 */
export const latestReopened = <T extends object>(
  entries: readonly T[],
  by: string,
  now: number,
): (T | (T & { reopened_at: string; reopened_by: string }))[] =>
  entries.map((one, at, all) =>
    at === all.length - 1 ? { ...one, reopened_at: rfc3339(now), reopened_by: by } : one,
  );
