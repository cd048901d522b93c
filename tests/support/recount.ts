/** A recount: what the items themselves say, to hold against the counters and against one another. */
import { stateOf } from "../../lib/domain/player.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { idOf } from "../../lib/store/items.ts";
import type { Store } from "../../lib/store/store.ts";
import { differencesOf } from "../../scripts/recount/audit/audit.ts";
import type { Difference } from "../../scripts/recount/audit/difference.ts";
import { addItem, newSurvey } from "../../scripts/recount/audit/survey.ts";
import type { Stage } from "./service.ts";
import { scan } from "./table.ts";

type Drift = Pick<Difference, "kind" | "which" | "is" | "should">;

/** Where these items of a whole table do not agree with one another. */
export const driftOf = (items: Iterable<StoredItem>): Drift[] => {
  const survey = newSurvey();
  for (const item of items) addItem(survey, item);
  return differencesOf(survey).map(({ kind, which, is, should }) => ({ kind, which, is, should }));
};

/** Where the table does not agree with itself: nowhere, whatever has been played. The game must stand still. */
export const drift = async (s: Pick<Stage, "place">): Promise<Drift[]> => driftOf(await scan(s));

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
