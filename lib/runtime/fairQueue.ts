/** A queue for work of which little may run at once, such as decoding pictures and hashing passwords. */

interface Waiting {
  who: string;
  start: () => void;
}

/**
 * Runs work in its turn.
 * @returns the result of the work; `null` if its turn did not come in time, or too many were waiting already
 */
export type FairQueue = <T>(
  options: {
    /** For whom the work is: those who wait take turns. */
    who: string;
    /** How long to wait for the turn, in milliseconds. */
    waitMs: number;
  },
  work: () => Promise<T>,
) => Promise<T | null>;

/**
 * Opens a queue in which people take turns: ten pictures of one player delay another player by one of them.
 * @param options.atOnce how much work may run at once; one by default
 * @param options.maxWaiting how many may wait; any number by default
 */
export const openFairQueue = ({
  atOnce = 1,
  maxWaiting = Number.POSITIVE_INFINITY,
}: {
  atOnce?: number;
  maxWaiting?: number;
} = {}): FairQueue => {
  const waiting: Waiting[] = [];
  let running = 0;
  let latest = "";

  const next = (): void => {
    if (running >= atOnce) return;
    const other = waiting.findIndex(({ who }) => who !== latest);
    const [first] = waiting.splice(Math.max(0, other), 1);
    first?.start();
  };

  const turn = (who: string, waitMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      if (running >= atOnce && waiting.length >= maxWaiting) {
        resolve(false);
        return;
      }
      const entry: Waiting = {
        who,
        start: () => {
          clearTimeout(timer);
          running += 1;
          latest = who;
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1);
        resolve(false);
      }, waitMs);
      waiting.push(entry);
      next();
    });

  return async ({ who, waitMs }, work) => {
    if (!(await turn(who, waitMs))) return null;
    try {
      return await work();
    } finally {
      running -= 1;
      next();
    }
  };
};
