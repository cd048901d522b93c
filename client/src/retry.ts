/** When a request that failed may be sent again, and how long to wait before. */

/**
 * The gateway answers 503 at once if the account's concurrency is exhausted. If no response of a function came, it does so
 * after 30 seconds, and the function may have run.
 */
const TURNED_AWAY_MS = 15_000;

/**
 * Whether a response is the service's own: only those have this header. Others come from the gateway in front of it, from a
 * captive portal or from a proxy.
 */
export const isOurs = ({ headers }: Pick<Response, "headers">): boolean => headers.has("x-request-id");

/**
 * Whether the gateway turned a request away before it reached a function, so that any request may be sent again.
 * @param response with the status and the headers
 * @param elapsedMs the time from the request to the response, in milliseconds
 */
export const isTurnedAway = (response: Pick<Response, "status" | "headers">, elapsedMs: number): boolean => {
  const { status } = response;
  return !isOurs(response) && (status === 429 || (status === 503 && elapsedMs < TURNED_AWAY_MS));
};

/**
 * Starts to measure a time. Some browsers' monotonic clock stands still while the machine sleeps, and the other clock can be
 * set back, so the longer of both times counts.
 * @returns the time since then, in milliseconds
 */
export const stopwatch = (): (() => number) => {
  const [monotonic, wall] = [performance.now(), Date.now()];
  return () => Math.max(performance.now() - monotonic, Date.now() - wall);
};

/** The seconds of `Retry-After`; `null` without one. */
export const retryAfterOf = (headers: Headers): number | null => {
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : null;
};

/**
 * The wait before the next attempt, in milliseconds: `Retry-After`, and a random part whose limit doubles each time.
 * @param attempt the number of attempts so far, from 1
 * @param retryAfter seconds
 * @param maxMs the highest limit of the random part, in milliseconds
 */
export const waitMs = (attempt: number, retryAfter: number | null, maxMs = 30_000): number =>
  (retryAfter ?? 0) * 1_000 + Math.random() * Math.min(maxMs, 1_000 * 2 ** (attempt - 1));

export interface Patience {
  /** The maximum number of attempts; 8, of about 20 seconds, by default. */
  attempts?: number;
  /** Whether a request is safe to repeat after network errors, any error of the gateway and a page of a portal, and worth it. */
  network?: boolean;
  /** Whether a response is the service's; by its header by default. */
  isOwn?: (response: Response) => boolean;
}

/** The highest limit of the random waits of `sendPatiently`, in milliseconds: somebody is waiting meanwhile. */
const MAX_WAIT_MS = 8_000;

/**
 * Sends a request, again if the gateway turned it away. Returns the last response, whatever its status.
 * @param send sends it once
 * @throws the error of the last attempt if there was no response
 */
export const sendPatiently = async (
  send: () => Promise<Response>,
  { attempts = 8, network = false, isOwn = isOurs }: Patience = {},
): Promise<Response> => {
  for (let attempt = 1; ; attempt += 1) {
    const elapsed = stopwatch();
    const isLast = attempt >= attempts;
    let retryAfter: number | null = null;
    try {
      const response = await send();
      const isRefused = isTurnedAway(response, elapsed());
      // A captive portal answers with a page of its own.
      const isForeign = !isOwn(response) && (response.ok || response.status >= 500);
      if (isLast || !(isRefused || (network && isForeign))) return response;
      retryAfter = retryAfterOf(response.headers);
    } catch (error) {
      if (isLast || !network) throw error;
    }
    const wait = waitMs(attempt, retryAfter, MAX_WAIT_MS);
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
};
