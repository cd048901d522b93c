/** Fetches that wait while the gateway turns requests away, because the account's concurrency is exhausted. */
import { isTurnedAway, retryAfterOf, waitMs } from "../../client/src/retry.ts";

/** The highest limit of the random wait, in milliseconds: somebody looks at the page meanwhile. */
const MAX_WAIT_MS = 8_000;

export interface Patience {
  /** The maximum number of attempts; 8, of about 20 seconds, by default. */
  attempts?: number;
  /** Whether network errors are retried too; otherwise they are thrown at once. */
  network?: boolean;
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Sends a GET request, again if the gateway turned it away. Returns the last response, whatever its status.
 * @throws TypeError of the last attempt if the service cannot be reached
 */
export const fetchPatiently = async (
  request: string | Request,
  { attempts = 8, network = false }: Patience = {},
): Promise<Response> => {
  for (let attempt = 1; ; attempt += 1) {
    const started = performance.now();
    const isLast = attempt >= attempts;
    let retryAfter: number | null = null;
    try {
      const response = await fetch(request);
      if (isLast || !isTurnedAway(response, performance.now() - started)) return response;
      retryAfter = retryAfterOf(response.headers);
    } catch (error) {
      if (isLast || !network) throw error;
    }
    await sleep(waitMs(attempt, retryAfter, MAX_WAIT_MS));
  }
};

/** Returns a function that runs tasks, at most `max` at a time and the others in order. */
export const limited = (max: number) => {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async <T>(task: () => Promise<T>): Promise<T> => {
    if (running < max) running += 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
};
