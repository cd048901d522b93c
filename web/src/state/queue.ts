/**
 * The offline queue of codes: tags, and what players redeem. A code is stored in IndexedDB before it is sent, so that it
 * survives a reload and a lost connection. Either an open page or the service worker sends it; the idempotency key makes sending it twice harmless.
 */
import { createStore, entries, get as read, del as remove, set, type UseStore, update } from "idb-keyval";
import { api, GameError, type HuntResult, isUndecided, type RedeemResult } from "./api.ts";
import { isKnownVersion, list, optional, shape, text, time, VERSION } from "./shapes.ts";

export interface Tag {
  tag_code: string;
  hunted_at: string;
  share_with?: string[];
  latitude?: number;
  longitude?: number;
}

/** The code of a reward that a player redeems. */
export interface Redemption {
  code: string;
  redeemed_at: string;
}

export interface QueuedCode {
  /** The idempotency key of the request. */
  key: string;
  /** The player who entered the code. It is sent only from a session of this player. */
  player_id: string;
  entered_at: string;
  body: Tag | Redemption;
  /** The service's error message if it refused the code; `null` while the code is queued. */
  refusal: string | null;
}

const isTag = shape<Tag>({ tag_code: text, hunted_at: time, share_with: optional(list(text)) });
const isRedemption = shape<Redemption>({ code: text, redeemed_at: time });
const hasFields = shape<QueuedCode>({
  ...{ key: text, player_id: text, entered_at: time, refusal: optional(text) },
  body: (body) => isTag(body) || isRedemption(body),
});
/** Another build of the app may understand a code that this one does not, so it stays where it is. */
const isUsable = (value: QueuedCode): boolean => hasFields(value) && isKnownVersion(value);

/** The code itself. */
export const codeOf = ({ body }: Pick<QueuedCode, "body">): string =>
  "code" in body ? body.code : body.tag_code;

// Earlier builds have queued tags under this name.
const store = (): UseStore => createStore("tags", "queue");
const LOCK = "tags";
/** The name of the background sync. */
export const SYNC = "tags";
/** The timeout of a request; after it the code stays in the queue. */
const TIMEOUT_MS = 20_000;

/** Returns the queued and refused codes of a player, oldest first. */
export const queuedCodes = async (player_id: string): Promise<QueuedCode[]> => {
  const all = await entries<string, QueuedCode>(store());
  return all
    .map(([, one]) => one)
    .filter((one) => isUsable(one) && one.player_id === player_id)
    .toSorted((one, other) => (one.entered_at < other.entered_at ? -1 : 1));
};

/** Whether the code could be stored, which a browser may refuse. */
const enqueue = async (entered: QueuedCode): Promise<boolean> => {
  try {
    await set(entered.key, { ...entered, version: VERSION }, store());
    return true;
  } catch {
    return false;
  }
};

export const removeQueuedCode = async (key: string): Promise<void> => {
  try {
    await remove(key, store());
  } catch {
    // A browser that keeps nothing, or one that repeats the code, which is harmless.
  }
};

/** Error codes after which the same code may be accepted later, such as an ended session or a paused game. */
const RETRYABLE_CODES = new Set(["token_rejected", "paused"]);

/** Whether a failed request should be retried, because the service has neither accepted nor refused the code. */
const isRetryable = (error: unknown): boolean =>
  !(error instanceof GameError) || isUndecided(error) || RETRYABLE_CODES.has(error.code);

const post = async ({ key, body }: QueuedCode): Promise<HuntResult | RedeemResult> => {
  const options = { key, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const result = await ("code" in body
    ? api.post("/player/redeem/{url_id}", { body, ...options })
    : api.post("/zombie/hunt/{url_id}", { body, ...options }));
  await removeQueuedCode(key);
  return result;
};

/**
 * Queues a code and sends it at once. Returns `null` if the code stays in the queue.
 * @throws GameError if the service refused the code or its rate limit was reached; the code is then removed from the queue
 */
export const sendCode = async (entered: QueuedCode): Promise<HuntResult | RedeemResult | null> => {
  const isQueued = await enqueue(entered);
  return navigator.locks.request(LOCK, () =>
    post(entered).catch(async (error: unknown) => {
      // The gateway's own 429 says nothing about the player.
      const isRateLimited = error instanceof GameError && error.status === 429 && !error.turnedAway;
      if (isQueued && isRetryable(error) && !isRateLimited) return null;
      await removeQueuedCode(entered.key);
      throw error;
    }),
  );
};

const sendOrStoreRefusal = async (queued: QueuedCode): Promise<void> => {
  try {
    await post(queued);
  } catch (error) {
    if (isRetryable(error)) throw error;
    const refusal = error instanceof Error ? error.message : "";
    await update<QueuedCode>(queued.key, (stored = queued) => ({ ...stored, refusal }), store());
  }
};

/**
 * Sends the queued codes of a player in order. A lock ensures that only one page or worker sends at a time.
 * @throws the error of the first code that has to be sent again later, such as `network`; that code and the later ones
 * stay in the queue
 */
export const sendQueuedCodes = (player_id: string): Promise<void> =>
  navigator.locks.request(LOCK, async () => {
    for (const { key } of await queuedCodes(player_id)) {
      // Another page or the worker may have sent it while this one waited for the lock.
      const current = await read<QueuedCode>(key, store());
      if (current !== undefined && current.refusal === null) await sendOrStoreRefusal(current);
    }
  });
