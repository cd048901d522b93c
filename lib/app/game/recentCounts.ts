/**
 * The counts of players for pages that ask again and again. Reading all counters costs more than all else that such a
 * request reads, so a process keeps them for a moment.
 */
import type { Game } from "../../domain/clock.ts";
import { SECOND } from "../../domain/time.ts";
import type { Counts } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";

type AllCounts = Counts & { total: number };

const MAX_AGE_MS = 15 * SECOND;

const cache = new WeakMap<Store, { counts: AllCounts; at: number; rev: number; newest: string }>();

/**
 * The counts, which may be up to 15 seconds old if the game has not changed since.
 * @param newest the id of the newest interaction that the caller knows of: an older count is not returned
 */
export const recentCounts = async (
  store: Store,
  game: Game,
  now: number,
  newest = "",
): Promise<AllCounts> => {
  const cached = cache.get(store);
  const isRecent = cached !== undefined && cached.at <= now && now < cached.at + MAX_AGE_MS;
  if (isRecent && cached.rev === game.rev && newest <= cached.newest) return cached.counts;
  const counts = await store.counts(game, now);
  cache.set(store, { counts, at: now, rev: game.rev, newest });
  return counts;
};
