/**
 * A model of Lambda's execution environments. A function starts another environment for a request while all others are
 * busy, and each keeps the game item for display for a second (decision 75).
 *
 * https://docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html
 */

/** How long a request keeps its environment busy at least: that of a list in docs/scale.md, the longest but for a login. */
const BUSY_MS = 31;
const SHOWN_MS = 1_000;
const SECOND_MS = 1_000;

export interface Environment {
  /** Until when the game item need not be read for display, in milliseconds. */
  shownUntil: number;
}

/** The environments of each function. */
export class Environments {
  /** Those that are free, the one that has been free for the longest time first. */
  readonly #free = new Map<string, Environment[]>();

  /** Occupies one. AWS does not say which; one that was used long ago reads the game item most often. */
  take(name: string): Environment {
    return this.#free.get(name)?.shift() ?? { shownUntil: 0 };
  }

  free(name: string, environment: Environment): void {
    const others = this.#free.get(name);
    if (others === undefined) this.#free.set(name, [environment]);
    else others.push(environment);
  }
}

/** When an environment is free again, for a request that began at `begun` and has its response at `now`. */
export const freeAt = (begun: number, now: number): number => Math.max(now, begun + BUSY_MS);

/** Notes that an environment has read the game item for display. */
export const keepShown = (environment: Environment, now: number): void => {
  environment.shownUntil = now + SHOWN_MS;
};

/**
 * Returns how often per second the environments of a function read the game item for display. As requests arrive at
 * random times, there are four standard deviations more environments than are busy on average.
 * @param rate the function's requests per second
 */
export const shownReads = (rate: number): number => {
  const busy = (rate * BUSY_MS) / SECOND_MS;
  return Math.min(rate, Math.ceil(busy + 4 * Math.sqrt(busy)));
};
