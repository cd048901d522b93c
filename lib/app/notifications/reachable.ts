/** Counts the players who can be reached by push. */
import type { Game } from "../../domain/game.ts";
import { type Audience, isAddressed } from "../../domain/push.ts";
import type { Store } from "../../store/store.ts";
import { parseSubscriptionEntry, subscriptionEntries } from "../../store/subscriptions.ts";

/** Of no more subscribers than this the players are read, to see whether they are in an audience. */
const MAX_READ = 1_000;
/** The subscriptions of a game of usual size, which are read at once. */
const USUAL = 200;

/** How many players of an audience have a subscription; `null` if that would take too many reads. */
export const reachablePlayers = async (
  store: Store,
  game: Game,
  audience: Audience,
  now: number,
): Promise<number | null> => {
  const ids = new Set<string>();
  for await (const entry of subscriptionEntries(store, game, USUAL))
    ids.add(parseSubscriptionEntry(entry).player_id);
  if (audience === "all") return ids.size;
  if (ids.size > MAX_READ) return null;
  const players = await store.listeners(ids);
  return [...players.values()].filter((player) => isAddressed(audience, player, game, now)).length;
};
