/** A waiting line that can be left from anywhere: a page of messages may be long, and its time may run out. */

/** So many that have gone may still be remembered. */
const MOST_GONE = 1_000;

export interface JobQueue<T> {
  add: (one: T) => void;
  /** The first, which no longer waits. */
  next: () => T | undefined;
  /** @returns whether it was still waiting */
  remove: (one: T) => boolean;
  size: () => number;
}

/** An empty line. */
export const makeJobQueue = <T>(): JobQueue<T> => {
  const present = new Set<T>();
  // The set alone would do, but finds its first the more slowly the more have left it.
  let order: T[] = [];
  let at = 0;
  return {
    add: (one) => {
      present.add(one);
      order.push(one);
    },
    next: () => {
      if (at > MOST_GONE && at * 2 > order.length) {
        order = order.slice(at);
        at = 0;
      }
      for (; at < order.length; at += 1) {
        const one = order[at];
        if (one !== undefined && present.delete(one)) return one;
      }
      order = [];
      at = 0;
      return undefined;
    },
    remove: (one) => present.delete(one),
    size: () => present.size,
  };
};
