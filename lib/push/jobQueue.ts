/** A FIFO queue from which any element can be removed. */

/** The number of removed elements that may remain in the array. */
const MAX_REMOVED = 1_000;

export interface JobQueue<T> {
  add: (one: T) => void;
  /** Removes and returns the first element. */
  next: () => T | undefined;
  /** @returns whether the element was in the queue */
  remove: (one: T) => boolean;
  size: () => number;
}

/** Makes an empty queue. */
export const makeJobQueue = <T>(): JobQueue<T> => {
  const present = new Set<T>();
  // A set alone gets slow at finding its first element after many removals.
  let order: T[] = [];
  let at = 0;
  return {
    add: (one) => {
      present.add(one);
      order.push(one);
    },
    next: () => {
      if (at > MAX_REMOVED && at * 2 > order.length) {
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
