/**
 * Checks the counters, indexes and references of a table, and repairs them. A running game changes while it is read, so a
 * survey, which reads the whole table, is repeated until the differences are stable. Repairs are conditional on the items
 * that were read.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { NEW_GAME } from "../../lib/domain/game/game.ts";
import type { StoredItem, Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { commit } from "../../lib/store/commit.ts";
import { COUNTER_SLOTS, countersList, keys } from "../../lib/store/keys.ts";
import { readAll } from "../../lib/store/lists.ts";
import { scanAll } from "../archive/scan.ts";
import type { Target } from "../archive/target.ts";
import { differencesOf } from "./audit/audit.ts";
import { contentOf, type Difference, identityOf } from "./audit/difference.ts";
import { addItem, newSurvey } from "./audit/survey.ts";

/** The maximum number of surveys. Differences that still change in the last one are not repaired. */
const MAX_SURVEYS = 5;
/** A repair may make another difference visible. */
const MAX_ROUNDS = 5;
const PAUSE_MS = 200;
const COMMIT_TIMEOUT_MS = 10_000;

export interface Recount {
  items: number;
  /** Stable differences, and whether they were repaired. */
  differences: (Difference & { repaired: boolean })[];
  /** Differences that were not the same in two surveys. */
  unstable: Difference[];
}

export interface RecountOptions {
  fix?: boolean;
  /** Called with the number of items of each page. */
  onItems?: (count: number) => void;
  /** The pause between two surveys in milliseconds, for writes in progress. */
  pauseMs?: number;
}

type RecountTable = Pick<Target, "client" | "db" | "table">;

interface SurveyResult {
  items: number;
  differences: Difference[];
  /** Whether the counters stayed the same during the survey; otherwise differences of counters are not reliable. */
  countersUnchanged: boolean;
}

const readCounters = async ({ db }: RecountTable): Promise<StoredItem[]> => {
  const game = await db.get(keys.game);
  // The item is read without its schema, because it may be unreadable.
  const shards = typeof game?.shards === "number" ? game.shards : NEW_GAME.shards;
  return readAll(db, { partition: countersList, shards, consistent: true }, COUNTER_SLOTS);
};

const takeSurvey = async (table: RecountTable, onItems: (count: number) => void): Promise<SurveyResult> => {
  const before = await readCounters(table);
  const survey = newSurvey();
  await scanAll(table, (page) => {
    for (const raw of page) {
      const item: Record<string, unknown> = unmarshall(raw);
      const { pk, sk } = item;
      if (typeof pk === "string" && typeof sk === "string") addItem(survey, { ...item, pk, sk });
    }
    onItems(page.length);
  });
  const countersUnchanged = isDeepStrictEqual(before, await readCounters(table));
  return { items: survey.items, differences: differencesOf(survey), countersUnchanged };
};

/** Repeats the survey until each of its differences was also in the previous one, unchanged. */
const stableSurvey = async (
  table: RecountTable,
  { onItems = () => {}, pauseMs = PAUSE_MS }: RecountOptions,
): Promise<{ items: number; stable: Difference[]; unstable: Difference[] }> => {
  let known = new Set<string>();
  for (let surveys = 1; ; surveys += 1) {
    const { items, differences, countersUnchanged } = await takeSurvey(table, onItems);
    const isStable = (one: Difference): boolean =>
      known.has(contentOf(one)) && (countersUnchanged || one.kind !== "counter");
    const unstable = differences.filter((one) => !isStable(one));
    if (unstable.length === 0 || surveys === MAX_SURVEYS) {
      return { items, stable: differences.filter(isStable), unstable };
    }
    known = new Set(
      differences.filter(({ kind }) => countersUnchanged || kind !== "counter").map((one) => contentOf(one)),
    );
    await pause(pauseMs);
  }
};

const isOfPlayer = (write: Write): boolean => "put" in write && write.put.sk === "PROFILE";

/**
 * Executes the repairs. Those that write a player come last, because the others are conditional on its `rev`. If a
 * condition fails, the next survey finds the difference again.
 */
const repairAll = async ({ db }: RecountTable, differences: readonly Difference[]): Promise<void> => {
  const repairs = [...new Set(differences.flatMap(({ repair }) => (repair === null ? [] : [repair])))];
  const inOrder = repairs.toSorted(
    (one, other) => Number(one.some(isOfPlayer)) - Number(other.some(isOfPlayer)),
  );
  for (const repair of inOrder) {
    const until = performance.now() + COMMIT_TIMEOUT_MS;
    try {
      await commit(db, repair, () => until - performance.now());
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};

/** Checks a table and, with `fix`, repairs it. */
export const recount = async (table: RecountTable, options: RecountOptions = {}): Promise<Recount> => {
  const { fix = false } = options;
  const found = new Map<string, Difference>();
  for (let round = 1; ; round += 1) {
    const { items, stable, unstable } = await stableSurvey(table, options);
    for (const one of stable) found.set(identityOf(one), found.get(identityOf(one)) ?? one);
    const repairable = stable.filter(({ repair }) => repair !== null);
    if (!fix || repairable.length === 0 || round > MAX_ROUNDS) {
      const left = new Set([...stable, ...unstable].map(identityOf));
      const differences = [...found].map(([id, one]) => ({ ...one, repaired: !left.has(id) }));
      return { items, differences, unstable };
    }
    await repairAll(table, repairable);
  }
};
