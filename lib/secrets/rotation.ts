/** Keys that follow one another: a new one is known to all before it is used, and an old one stays good for a while. */

/** A key that is used from an instant on. */
export interface DatedKey {
  /** Milliseconds since 1970. */
  since: number;
}

/**
 * Keys in the order in which to try them on what was made at an instant: the one that was used then, then the others,
 * the newest first.
 * @param at milliseconds since 1970
 */
export const keysToTry = <K extends DatedKey>(keys: readonly K[], at: number): K[] => {
  const newestFirst = keys.toSorted((one, other) => other.since - one.since);
  // Whatever came before the first key was made with that.
  const used = newestFirst.find(({ since }) => since <= at) ?? newestFirst.at(-1);
  return used === undefined ? [] : [used, ...newestFirst.filter((key) => key !== used)];
};
