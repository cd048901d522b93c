/** What is still to happen, the earliest first. */

export interface Timed {
  at: number;
}

export interface Queue<T extends Timed> {
  push: (one: T) => void;
  /** Takes the earliest; none when it is empty. */
  take: () => T | undefined;
}

export const makeQueue = <T extends Timed>(): Queue<T> => {
  const heap: T[] = [];
  const isEarlier = (one: number, other: number): boolean => {
    const [a, b] = [heap[one], heap[other]];
    return a !== undefined && b !== undefined && a.at < b.at;
  };
  const swap = (one: number, other: number): void => {
    const [a, b] = [heap[one], heap[other]];
    if (a === undefined || b === undefined) return;
    heap[one] = b;
    heap[other] = a;
  };
  return {
    push(one) {
      let at = heap.push(one) - 1;
      for (let above = (at - 1) >> 1; at > 0 && isEarlier(at, above); above = (at - 1) >> 1) {
        swap(at, above);
        at = above;
      }
    },
    take() {
      const [first] = heap;
      const last = heap.pop();
      if (first === last || last === undefined) return first;
      heap[0] = last;
      for (let at = 0; ; ) {
        let earliest = at;
        for (const below of [2 * at + 1, 2 * at + 2]) if (isEarlier(below, earliest)) earliest = below;
        if (earliest === at) return first;
        swap(at, earliest);
        at = earliest;
      }
    },
  };
};
