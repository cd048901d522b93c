/** Requests of the web app outside of its API client. */
import { isOurs, type Patience, sendPatiently } from "../../../client/src/retry.ts";

/** Waits, or until a signal is aborted. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });

/** A signal that is aborted after a time in milliseconds, or with another signal. */
export const within = (ms: number, other?: AbortSignal | null): AbortSignal => {
  const both = new AbortController();
  const timer = setTimeout(() => both.abort(new DOMException("Timed out.", "TimeoutError")), ms);
  const end = (): void => {
    clearTimeout(timer);
    both.abort(other?.reason);
  };
  if (other?.aborted === true) end();
  else other?.addEventListener("abort", end, { once: true });
  return both.signal;
};

/** The types of the files of the app whose type tells that a portal has not sent them. */
const TYPES = { js: /javascript/, css: /^text\/css/ };

/**
 * Whether a response is the service's: a script or a style sheet by its type, which no page of a portal has, and everything
 * else by the service's header.
 */
export const isOwnFile = (request: string | Request, response: Response): boolean => {
  const url = request instanceof Request ? request.url : request;
  const [, kind] = /\.(js|css)(?:$|\?)/.exec(url) ?? [];
  if (kind !== "js" && kind !== "css") return isOurs(response);
  return TYPES[kind].test(response.headers.get("content-type") ?? "");
};

/**
 * Sends a GET request. What a captive portal or a proxy has answered to it before may be in the browser's cache, so a response
 * that is not the service's is asked for once more, unless the gateway is busy.
 */
export const fetchFresh = async (request: string | Request, init: RequestInit = {}): Promise<Response> => {
  const response = await fetch(request, init);
  const isFinal = isOwnFile(request, response) || response.status >= 429;
  return isFinal ? response : fetch(request, { ...init, cache: "reload" });
};

/**
 * Sends a GET request, again if the gateway turned it away.
 * @throws TypeError if the service cannot be reached, which is also so if something else answers in its place
 */
export const fetchPatiently = async (request: string | Request, patience?: Patience): Promise<Response> => {
  const isOwn = (response: Response): boolean => isOwnFile(request, response);
  const response = await sendPatiently(() => fetchFresh(request), { ...patience, isOwn });
  if (response.ok && !isOwn(response)) throw new TypeError(`not of the service: ${response.url}`);
  return response;
};

/**
 * Returns a function that runs tasks, at most `max` at a time and the others in order. A task whose signal is aborted before
 * its turn does not run; the function then throws the reason.
 */
export const limited = (max: number) => {
  let running = 0;
  const waiting = new Set<() => void>();
  const turn = (signal: AbortSignal | null | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.add(resolve);
      signal?.addEventListener("abort", () => {
        // After its turn has come, the task ends by itself.
        if (waiting.delete(resolve)) reject(signal.reason);
      });
    });
  return async <T>(task: () => Promise<T>, signal?: AbortSignal | null): Promise<T> => {
    signal?.throwIfAborted();
    if (running < max) running += 1;
    else await turn(signal);
    try {
      return await task();
    } finally {
      const [next] = waiting;
      if (next === undefined) running -= 1;
      else {
        waiting.delete(next);
        next();
      }
    }
  };
};
