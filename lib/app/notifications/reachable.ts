/** Counts the players who can be reached by push. */
import type { Game } from "../../domain/game/game.ts";
import { type Audience, isAddressed, seemsAddressed } from "../../domain/notifications/push.ts";
import type { Player } from "../../domain/players/player.ts";
import { hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import { parseSubscriptionEntry, subscriptionEntries } from "../../store/notifications/subscriptions.ts";
import type { Store } from "../../store/store.ts";

/** Of no more subscribers than this the players are read, to see whether they are in an audience. */
const MAX_READ = 1_000;
/** The subscriptions of a game of usual size, which are read at once. */
const USUAL = 200;

/**
 * How many players of an audience have a subscription, as far as the viewer may know; `null` if that would take too many
 * reads.
 */
export const reachablePlayers = async (
  store: Store,
  game: Game,
  audience: Audience,
  viewer: Player,
  now: number,
): Promise<number | null> => {
  const ids = new Set<string>();
  for await (const entry of subscriptionEntries(store, game, USUAL))
    ids.add(parseSubscriptionEntry(entry).player_id);
  if (audience === "all") return ids.size;
  if (ids.size > MAX_READ) return null;
  const players = await store.listeners(ids);
  const isHiding = hidesOriginalsFrom(viewer, game, now);
  return [...players].filter(([id, player]) => {
    const mayKnow = !isHiding || id === viewer.player_id;
    return (mayKnow ? isAddressed : seemsAddressed)(audience, player, game, now);
  }).length;
};
