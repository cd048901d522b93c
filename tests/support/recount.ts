/** Checks a table against itself: counters against players, and everything that is stored twice. */
import { afterEach, expect } from "vitest";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
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

/** Returns the inconsistencies of the table: none after correct play. No request may run during the scan. */
export const drift = async (s: Pick<TestEnvironment, "place">): Promise<Drift[]> => driftOf(await scan(s));

/** Requires that the table is consistent after each test of a file. */
export const requireConsistency = (s: Pick<TestEnvironment, "place">): void => {
  afterEach(async () => expect(await drift(s)).toEqual([]));
};
