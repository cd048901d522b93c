/** The API client of the web app. Requests go to the page's own origin with an HTTP-only session cookie. */
import { GameClient, GameError } from "../../../client/src/index.ts";
import { isOurs } from "../../../client/src/retry.ts";
import type { PublicGame } from "../schemas.ts";
import { fetchFresh, limited, sleep, within } from "./fetching.ts";
import { NEEDS } from "./shapes.ts";

export type * from "../schemas.ts";
export { GameError };

/** Called when the service no longer accepts the session. */
let sessionEnded = (): void => {};
export const onSessionEnd = (listener: () => void): void => {
  sessionEnded = listener;
};

const isRejected = async (response: Response): Promise<boolean> =>
  response.status === 403 && (await response.clone().text()).includes('"token_rejected"');

/** Called with the number of requests that wait until the service is less busy. */
let waitingChanged = (_count: number): void => {};
export const onWaiting = (listener: (count: number) => void): void => {
  waitingChanged = listener;
};

/** How many requests of a page may run at once: a new AWS account runs ten functions at once, for all its visitors. */
const MAX_REQUESTS = 4;
const inTurn = limited(MAX_REQUESTS);
/** When a connection counts as lost. The gateway answers within 30 seconds. */
const MAX_RESPONSE_MS = 35_000;

let pending = 0;
let waiting = 0;

const wait = async (ms: number, signal?: AbortSignal): Promise<void> => {
  waiting += 1;
  waitingChanged(waiting);
  await sleep(ms, signal);
  waiting -= 1;
  waitingChanged(waiting);
};

/** Resolves when the page has waited for no response for a while. */
export const untilQuiet = async (): Promise<void> => {
  for (let calm = 0; calm < 3; ) {
    await sleep(400);
    calm = pending + waiting === 0 ? calm + 1 : 0;
  }
};

/**
 * Retries only what a busy service or its gateway has refused, for about half a minute. Pages offer a retry button for other
 * errors, and codes are retried by their queue.
 */
export const api = new GameClient({
  cookie: true,
  accepts: (path, value) => NEEDS[path]?.(value) ?? true,
  attempts: 7,
  retries: ({ status, requestId, turnedAway }) => turnedAway || (status === 503 && requestId !== null),
  sleep: wait,
  fetch: (url, request) => {
    pending += 1;
    const { signal } = request;
    return inTurn(async () => {
      const sent = { ...request, signal: within(MAX_RESPONSE_MS, signal) };
      // Of the service's responses a browser may keep only this one, and a portal's are not even looked up.
      const response = await (url === "/public"
        ? fetchFresh(url, sent)
        : fetch(url, { ...sent, cache: "no-store" }));
      if (!isOurs(response)) {
        // The client reads the errors of the gateway.
        if (response.ok || response.status === 304) throw new TypeError("Something else answers.");
        return response;
      }
      if (await isRejected(response)) sessionEnded();
      return response;
    }, signal).finally(() => {
      pending -= 1;
    });
  },
});

export const readPublicGame = (): Promise<PublicGame> => api.get("/public");

/** The public game as a list of one, which is kept for when the device is offline. */
export const readPublicOnce = async () => ({ items: [await readPublicGame()], next: null });

/** Whether a request failed because the service could not be reached: what else answered does not matter. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof GameError && (error.code === "network" || error.code === "gateway");

/** Whether the service has neither accepted nor refused a request, or its response is lost, so that it can be sent again. */
export const isUndecided = (error: unknown): boolean =>
  error instanceof GameError &&
  (isUnreachable(error) || error.status === 429 || error.status >= 500 || error.code === "in_progress");
