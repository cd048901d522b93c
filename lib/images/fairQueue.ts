/** A queue for work that runs one at a time. */

interface Waiting {
  player: string;
  start: () => void;
}

/** Runs work in its turn. @returns the result of the work; `null` if its turn did not come in time */
export type FairQueue = <T>(
  options: { player: string; waitMs: number },
  work: () => Promise<T>,
) => Promise<T | null>;

/** Opens a queue in which players take turns: ten pictures of one player delay another player by one of them. */
export const openFairQueue = (): FairQueue => {
  const waiting: Waiting[] = [];
  let isBusy = false;
  let latest = "";

  const next = (): void => {
    const other = waiting.findIndex(({ player }) => player !== latest);
    const [first] = waiting.splice(Math.max(0, other), 1);
    isBusy = first !== undefined;
    first?.start();
  };

  const turn = (player: string, waitMs: number): Promise<boolean> =>
    new Promise((resolve) => {
      const entry: Waiting = {
        player,
        start: () => {
          clearTimeout(timer);
          latest = player;
          resolve(true);
        },
      };
      const timer = setTimeout(() => {
        waiting.splice(waiting.indexOf(entry), 1);
        resolve(false);
      }, waitMs);
      waiting.push(entry);
      if (!isBusy) next();
    });

  return async ({ player, waitMs }, work) => {
    if (!(await turn(player, waitMs))) return null;
    try {
      return await work();
    } finally {
      next();
    }
  };
};
