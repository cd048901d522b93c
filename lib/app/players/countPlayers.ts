/** Counts the players in each state, as a game master may know them. */
import type { Audience } from "../../domain/notifications/push.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { hiddenFrom, shownCounts } from "../../store/hunts/hiddenOriginals.ts";
import { reachablePlayers } from "../notifications/reachable.ts";

/** @param audience also counts the players of this audience who can be reached by push */
export const countPlayers = async (
  { game, now, player, services: { store } }: ReadCall,
  audience: Audience | undefined,
) => {
  const hidden = hiddenFrom(store.db, player, game, now);
  const counts = await shownCounts(await store.counts(game, now), hidden, game, now);
  if (audience === undefined) return counts;
  return { ...counts, reachable: await reachablePlayers(store, game, audience, player, now) };
};
