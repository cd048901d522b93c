/** Requests of the web app outside of its API client. */
import { type Patience, sendPatiently } from "../../client/src/retry.ts";

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends a GET request, again if the gateway turned it away. @throws TypeError if the service cannot be reached */
export const fetchPatiently = (request: string | Request, patience?: Patience): Promise<Response> =>
  sendPatiently(() => fetch(request), patience);

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
