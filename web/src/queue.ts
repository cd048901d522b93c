/**
 * Tags that a player has entered. Each is stored in IndexedDB before it is sent, so that neither a reload nor a missing
 * network loses it, and is sent by whichever comes first of an open page and the service worker. The service carries out a
 * repeated request with the same key only once.
 */
import { createStore, entries, get as read, del as remove, set, type UseStore, update } from "idb-keyval";
import { api, GameError, type HuntResult } from "./api.ts";

export interface Tag {
  tag_code: string;
  hunted_at: string;
  share_with?: string[];
  latitude?: number;
  longitude?: number;
}

export interface QueuedTag {
  /** The idempotency key of the request. */
  key: string;
  /** The player who entered it: nobody else's session sends it. */
  player_id: string;
  entered_at: string;
  body: Tag;
  /** Why the service has refused it, in words; `null` while it waits. */
  refusal: string | null;
}

const store = (): UseStore => createStore("tags", "queue");
const LOCK = "tags";
/** The name of the background sync. */
export const SYNC = "tags";
/** After so long without an answer a tag waits in the queue instead, in milliseconds. */
const TIMEOUT_MS = 20_000;

/** The queued and refused tags of a player, in the order in which they were entered. */
export const queuedTags = async (player_id: string): Promise<QueuedTag[]> => {
  const all = await entries<string, QueuedTag>(store());
  return all
    .map(([, tag]) => tag)
    .filter((tag) => tag.player_id === player_id)
    .toSorted((one, other) => (one.entered_at < other.entered_at ? -1 : 1));
};

const enqueueTag = (tag: QueuedTag): Promise<void> => set(tag.key, tag, store());

export const removeQueuedTag = (key: string): Promise<void> => remove(key, store());

/** Errors after which the same tag may be accepted later: the session has ended, or the game is paused. */
const RETRYABLE_CODES = new Set(["token_rejected", "paused", "in_progress"]);

/** Whether a failed request is to be sent again: the service has not decided it. */
const isRetryable = (error: unknown): boolean =>
  !(error instanceof GameError) ||
  error.status === 0 ||
  error.status === 429 ||
  error.status >= 500 ||
  RETRYABLE_CODES.has(error.code);

const reportHunt = async ({ key, body }: QueuedTag): Promise<HuntResult> => {
  const result = await api.post("/zombie/hunt/{url_id}", {
    body,
    key,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await removeQueuedTag(key);
  return result;
};

/**
 * Stores a tag and sends it. @returns `null` if it waits in the queue
 * @throws GameError if it was refused, or was one too many; then it is not stored
 */
export const sendTag = async (tag: QueuedTag): Promise<HuntResult | null> => {
  await enqueueTag(tag);
  return navigator.locks.request(LOCK, () =>
    reportHunt(tag).catch(async (error: unknown) => {
      const isRateLimited = error instanceof GameError && error.status === 429;
      if (isRetryable(error) && !isRateLimited) return null;
      await removeQueuedTag(tag.key);
      throw error;
    }),
  );
};

const sendWaiting = async (tag: QueuedTag): Promise<void> => {
  try {
    await reportHunt(tag);
  } catch (error) {
    if (isRetryable(error)) throw error;
    const refusal = error instanceof Error ? error.message : "";
    await update<QueuedTag>(tag.key, (stored = tag) => ({ ...stored, refusal }), store());
  }
};

/**
 * Sends the waiting tags of a player, one after the other. Only one page or worker sends at a time.
 * @throws GameError if the service cannot be reached; the rest stays in the queue
 */
export const sendQueuedTags = (player_id: string): Promise<void> =>
  navigator.locks.request(LOCK, async () => {
    for (const tag of await queuedTags(player_id)) {
      // Somebody else may have sent it while this one waited for the lock.
      const current = await read<QueuedTag>(tag.key, store());
      if (current !== undefined && current.refusal === null) await sendWaiting(current);
    }
  });
