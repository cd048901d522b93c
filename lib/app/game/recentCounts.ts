/**
 * The counts of players for pages that poll. Reading all counters costs more than the rest of such a request, so each
 * process caches them.
 */
import type { Game } from "../../domain/game/game.ts";
import type { Player } from "../../domain/players/player.ts";
import { coverState } from "../../domain/players/visibility.ts";
import { SECOND } from "../../domain/time.ts";
import { hiddenFrom, shownCounts } from "../../store/hunts/hiddenOriginals.ts";
import type { Counts } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";

type AllCounts = Counts & { total: number };

const MAX_AGE_MS = 15 * SECOND;

/** `shown`: the counts for viewers who may not know of hidden original zombies. */
interface Cached {
  counts: AllCounts;
  shown: AllCounts;
  at: number;
  rev: number;
  newest: string;
}

const cache = new WeakMap<Store, Cached>();

/**
 * The counts, which may be up to 15 seconds old if the game has not changed since.
 * @param newest the id of the newest interaction that was read for the response: counts from before it are not returned.
 *   Never an id that a client has sent, because others get these counts as those up to it
 */
export const recentCounts = async (
  store: Store,
  game: Game,
  now: number,
  viewer: Player | null,
  newest = "",
): Promise<AllCounts> => {
  const hidden = hiddenFrom(store.db, viewer, game, now);
  // A hidden original zombie gets counts that differ from everybody else's.
  if (viewer !== null && hidden !== undefined && coverState(viewer, game, now) !== null)
    return shownCounts(await store.counts(game, now), hidden, game, now);
  const cached = cache.get(store);
  const isRecent = cached !== undefined && cached.at <= now && now < cached.at + MAX_AGE_MS;
  if (isRecent && cached.rev === game.rev && newest <= cached.newest)
    return hidden === undefined ? cached.counts : cached.shown;
  const counts = await store.counts(game, now);
  const shown = await shownCounts(counts, hiddenFrom(store.db, null, game, now), game, now);
  cache.set(store, { counts, shown, at: now, rev: game.rev, newest });
  return hidden === undefined ? counts : shown;
};
