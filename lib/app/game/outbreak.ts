/** The outbreak in numbers, as everybody may know it. */
import { situationOf } from "../../domain/players/situation.ts";
import type { Call } from "../../lambda/call.ts";
import { hiddenFrom, shownCounts } from "../../store/hunts/hiddenOriginals.ts";
import { hasBegun } from "./scheduleView.ts";

/** The name and the situation of the game, and the number of players in each state. */
export const readOutbreak = async ({ services: { store }, now }: Pick<Call, "services" | "now">) => {
  const game = await store.shownGame(now);
  const hidden = hiddenFrom(store.db, null, game, now);
  const counts = await shownCounts(await store.counts(game, now), hidden, game, now);
  return { name: game.settings.name, situation: situationOf(game, now, hasBegun(counts)), counts };
};
