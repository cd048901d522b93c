/** A recount: what the players themselves say, to hold the counters against. */
import { stateOf } from "../../lib/domain/player.ts";
import { idOf } from "../../lib/store/items.ts";
import type { Store } from "../../lib/store/store.ts";

/** How many players are what, one by one. */
export const recount = async (store: Store, now: number) => {
  const game = await store.game();
  const ids: string[] = [];
  for await (const { item } of store.rosterEntries(1_000)) ids.push(idOf(item));
  const counts = { total: 0, humans: 0, zombies: 0, corpses: 0, spectators: 0 };
  for (const player of (await store.players(ids)).values()) {
    counts.total += 1;
    const state = stateOf(player, game, now);
    if (state === "human") counts.humans += 1;
    else if (state === "zombie") counts.zombies += 1;
    else if (state === "corpse") counts.corpses += 1;
    else counts.spectators += 1;
  }
  return counts;
};
