/**
 * Tags that were entered without a network. They wait in IndexedDB, survive reloads, and are sent once, by whichever comes
 * first of an open page and the service worker. The service carries out a repeated request with the same key only once.
 */
import { createStore, entries, get as read, del as remove, set, type UseStore, update } from "idb-keyval";
import { api, GameError } from "./api.ts";

export interface QueuedTag {
  /** The idempotency key of the request. */
  key: string;
  /** The player who entered it: nobody else's session sends it. */
  player_id: string;
  entered_at: string;
  body: { tag_code: string; hunted_at: string; share_with?: string[] };
  /** Why the service has refused it, in words; `null` while it waits. */
  refusal: string | null;
}

const store = (): UseStore => createStore("tags", "queue");
const LOCK = "tags";
/** The name of the background sync. */
export const SYNC = "tags";

/** The queued and refused tags of a player, in the order in which they were entered. */
export const queuedTags = async (player_id: string): Promise<QueuedTag[]> => {
  const all = await entries<string, QueuedTag>(store());
  return all
    .map(([, tag]) => tag)
    .filter((tag) => tag.player_id === player_id)
    .toSorted((one, other) => (one.entered_at < other.entered_at ? -1 : 1));
};

export const enqueueTag = (tag: QueuedTag): Promise<void> => set(tag.key, tag, store());

export const forgetTag = (key: string): Promise<void> => remove(key, store());

/** Whether a failed request is to be sent again: the service has not decided it. */
const isUndecided = ({ status }: GameError): boolean =>
  status === 0 || status === 403 || status === 429 || status >= 500;

const sendOne = async ({ key, body }: QueuedTag): Promise<void> => {
  try {
    await api.post("/zombie/hunt/{url_id}", { body, key });
    await forgetTag(key);
  } catch (error) {
    if (!(error instanceof GameError) || isUndecided(error)) throw error;
    await update<QueuedTag>(key, (tag) => ({ ...(tag as QueuedTag), refusal: error.message }), store());
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
      if (current !== undefined && current.refusal === null) await sendOne(current);
    }
  });
