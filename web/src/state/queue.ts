/**
 * The offline queue of tags. A tag is stored in IndexedDB before it is sent, so that it survives a reload and a lost
 * connection. Either an open page or the service worker sends it; the idempotency key makes sending it twice harmless.
 */
import { createStore, entries, get as read, del as remove, set, type UseStore, update } from "idb-keyval";
import { api, GameError, type HuntResult, isUnreachable } from "./api.ts";
import { isKnownVersion, list, optional, shape, text, time, VERSION } from "./shapes.ts";

export interface Tag {
  tag_code: string;
  hunted_at: string;
  share_with?: string[];
  latitude?: number;
  longitude?: number;
}

export interface StoredTag {
  /** The idempotency key of the request. */
  key: string;
  /** The player who entered the tag. It is sent only from a session of this player. */
  player_id: string;
  entered_at: string;
  body: Tag;
  /** The service's error message if it refused the tag; `null` while the tag is queued. */
  refusal: string | null;
}

const hasTagFields = shape<StoredTag>({
  ...{ key: text, player_id: text, entered_at: time, refusal: optional(text) },
  body: shape<Tag>({ tag_code: text, hunted_at: time, share_with: optional(list(text)) }),
});
/** Another build of the app may understand a tag that this one does not, so it stays where it is. */
const isTag = (value: StoredTag): boolean => hasTagFields(value) && isKnownVersion(value);

const store = (): UseStore => createStore("tags", "queue");
const LOCK = "tags";
/** The name of the background sync. */
export const SYNC = "tags";
/** The timeout of a request; after it the tag stays in the queue. */
const TIMEOUT_MS = 20_000;

/** Returns the queued and refused tags of a player, oldest first. */
export const storedTags = async (player_id: string): Promise<StoredTag[]> => {
  const all = await entries<string, StoredTag>(store());
  return all
    .map(([, tag]) => tag)
    .filter((tag) => isTag(tag) && tag.player_id === player_id)
    .toSorted((one, other) => (one.entered_at < other.entered_at ? -1 : 1));
};

/** Whether the tag could be stored, which a browser may refuse. */
const enqueueTag = async (tag: StoredTag): Promise<boolean> => {
  try {
    await set(tag.key, { ...tag, version: VERSION }, store());
    return true;
  } catch {
    return false;
  }
};

export const removeStoredTag = async (key: string): Promise<void> => {
  try {
    await remove(key, store());
  } catch {
    // A browser that keeps nothing, or one that repeats the tag, which is harmless.
  }
};

/** Error codes after which the same tag may be accepted later, such as an ended session or a paused game. */
const RETRYABLE_CODES = new Set(["token_rejected", "paused", "in_progress"]);

/** Whether a failed request should be retried, because the service has neither accepted nor refused the tag. */
const isRetryable = (error: unknown): boolean =>
  !(error instanceof GameError) ||
  isUnreachable(error) ||
  error.status === 429 ||
  error.status >= 500 ||
  RETRYABLE_CODES.has(error.code);

const postTag = async ({ key, body }: StoredTag): Promise<HuntResult> => {
  const result = await api.post("/zombie/hunt/{url_id}", {
    body,
    key,
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await removeStoredTag(key);
  return result;
};

/**
 * Queues a tag and sends it at once. Returns `null` if the tag stays in the queue.
 * @throws GameError if the service refused the tag or its rate limit was reached; the tag is then removed from the queue
 */
export const sendTag = async (tag: StoredTag): Promise<HuntResult | null> => {
  const isQueued = await enqueueTag(tag);
  return navigator.locks.request(LOCK, () =>
    postTag(tag).catch(async (error: unknown) => {
      // The gateway's own 429 says nothing about the player.
      const isRateLimited = error instanceof GameError && error.status === 429 && !error.turnedAway;
      if (isQueued && isRetryable(error) && !isRateLimited) return null;
      await removeStoredTag(tag.key);
      throw error;
    }),
  );
};

const sendOrStoreRefusal = async (tag: StoredTag): Promise<void> => {
  try {
    await postTag(tag);
  } catch (error) {
    if (isRetryable(error)) throw error;
    const refusal = error instanceof Error ? error.message : "";
    await update<StoredTag>(tag.key, (stored = tag) => ({ ...stored, refusal }), store());
  }
};

/**
 * Sends the queued tags of a player in order. A lock ensures that only one page or worker sends at a time.
 * @throws the error of the first tag that has to be sent again later, such as `network`; that tag and the later ones
 * stay in the queue
 */
export const sendQueuedTags = (player_id: string): Promise<void> =>
  navigator.locks.request(LOCK, async () => {
    for (const tag of await storedTags(player_id)) {
      // Another page or the worker may have sent it while this one waited for the lock.
      const current = await read<StoredTag>(tag.key, store());
      if (current !== undefined && current.refusal === null) await sendOrStoreRefusal(current);
    }
  });
