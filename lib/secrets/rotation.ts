/** Key rotation: all processes have read a new key before it is used, and an old key stays valid for a while. */

/** A key with the time from which it is used. */
export interface DatedKey {
  /** Milliseconds since 1970. */
  since: number;
}

/**
 * The keys in the order in which to try them: first the one that was in use at a time, then the others, newest first.
 * @param at when the data was signed or encrypted, in milliseconds since 1970
 */
export const keysToTry = <K extends DatedKey>(keys: readonly K[], at: number): K[] => {
  const newestFirst = keys.toSorted((one, other) => other.since - one.since);
  // Data from before the first key belongs to the first key.
  const used = newestFirst.find(({ since }) => since <= at) ?? newestFirst.at(-1);
  return used === undefined ? [] : [used, ...newestFirst.filter((key) => key !== used)];
};
