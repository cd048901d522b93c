/** Checks a table against itself: counters against players, and everything that is stored twice. */
import { stateOf } from "../../lib/domain/player.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { idOf } from "../../lib/store/items.ts";
import type { Store } from "../../lib/store/store.ts";
import { differencesOf } from "../../scripts/recount/audit/audit.ts";
import type { Difference } from "../../scripts/recount/audit/difference.ts";
import { addItem, newSurvey } from "../../scripts/recount/audit/survey.ts";
import type { TestEnvironment } from "./service.ts";
import { scan } from "./table.ts";

type Drift = Pick<Difference, "kind" | "which" | "is" | "should">;

/** The inconsistencies of a complete table. */
export const driftOf = (items: Iterable<StoredItem>): Drift[] => {
  const survey = newSurvey();
  for (const item of items) addItem(survey, item);
  return differencesOf(survey).map(({ kind, which, is, should }) => ({ kind, which, is, should }));
};

/** The inconsistencies of the table: none, whatever has been played. Nobody may play meanwhile. */
export const drift = async (s: Pick<TestEnvironment, "place">): Promise<Drift[]> => driftOf(await scan(s));

/** Counts the players of each state one by one. */
export const recount = async (store: Store, now: number) => {
  const game = await store.game();
  const ids: string[] = [];
  for await (const { item } of store.rosterEntries(game, 1_000)) ids.push(idOf(item));
  const counts = { total: 0, humans: 0, zombies: 0, corpses: 0, spectators: 0 };
  for (const player of (await store.players(ids)).values()) {
    counts.total += 1;
    counts[`${stateOf(player, game, now)}s`] += 1;
  }
  return counts;
};
