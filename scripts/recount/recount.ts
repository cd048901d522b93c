/**
 * Recounts a table. A running game changes while it is read, so the survey is repeated until the differences are
 * stable. Repairs are conditional on the items that were read.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { NEW_GAME } from "../../lib/domain/clock.ts";
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
/** A repair may reveal another difference, such as a guard whose player was missing. */
const MAX_ROUNDS = 5;
const PAUSE_MS = 200;
const COMMIT_TIMEOUT_MS = 10_000;

export interface Recount {
  items: number;
  /** Stable differences, and whether they were repaired. */
  differences: (Difference & { repaired: boolean })[];
  /** Differences that were not the same in two surveys. */
  moving: Difference[];
}

export interface RecountOptions {
  fix?: boolean;
  /** Called with the number of items of each page. */
  onItems?: (count: number) => void;
  /** The pause between two surveys in milliseconds, for writes in progress. */
  pauseMs?: number;
}

type Where = Pick<Target, "client" | "db" | "table">;

interface SurveyResult {
  items: number;
  differences: Difference[];
  /** Whether the counters stayed the same during the survey; otherwise differences of counters are not reliable. */
  isSteady: boolean;
}

const readCounters = async ({ db }: Where): Promise<StoredItem[]> => {
  const game = await db.get(keys.game);
  // The item is read without its schema, because it may be unreadable.
  const shards = typeof game?.shards === "number" ? game.shards : NEW_GAME.shards;
  return readAll(db, { partition: countersList, shards, consistent: true }, COUNTER_SLOTS);
};

const takeSurvey = async (where: Where, onItems: (count: number) => void): Promise<SurveyResult> => {
  const before = await readCounters(where);
  const survey = newSurvey();
  await scanAll(where, (page) => {
    for (const raw of page) {
      const item: Record<string, unknown> = unmarshall(raw);
      const { pk, sk } = item;
      if (typeof pk === "string" && typeof sk === "string") addItem(survey, { ...item, pk, sk });
    }
    onItems(page.length);
  });
  const isSteady = isDeepStrictEqual(before, await readCounters(where));
  return { items: survey.items, differences: differencesOf(survey), isSteady };
};

/** Repeats the survey until each of its differences was also in the previous one, unchanged. */
const stableSurvey = async (
  where: Where,
  { onItems = () => {}, pauseMs = PAUSE_MS }: RecountOptions,
): Promise<{ items: number; settled: Difference[]; moving: Difference[] }> => {
  let known = new Set<string>();
  for (let surveys = 1; ; surveys += 1) {
    const { items, differences, isSteady } = await takeSurvey(where, onItems);
    const isSettled = (one: Difference): boolean =>
      known.has(contentOf(one)) && (isSteady || one.kind !== "counter");
    const moving = differences.filter((one) => !isSettled(one));
    if (moving.length === 0 || surveys === MAX_SURVEYS) {
      return { items, settled: differences.filter(isSettled), moving };
    }
    known = new Set(
      differences.filter(({ kind }) => isSteady || kind !== "counter").map((one) => contentOf(one)),
    );
    await pause(pauseMs);
  }
};

const isOfPlayer = (write: Write): boolean => "put" in write && write.put.sk === "PROFILE";

/**
 * Executes the repairs; those that depend on an unchanged player come first. A failed condition is left to the next
 * survey.
 */
const repairAll = async ({ db }: Where, differences: readonly Difference[]): Promise<void> => {
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

/** Recounts a table and, with `fix`, repairs it. */
export const recount = async (where: Where, options: RecountOptions = {}): Promise<Recount> => {
  const { fix = false } = options;
  const found = new Map<string, Difference>();
  for (let round = 1; ; round += 1) {
    const { items, settled, moving } = await stableSurvey(where, options);
    for (const one of settled) found.set(identityOf(one), found.get(identityOf(one)) ?? one);
    const repairable = settled.filter(({ repair }) => repair !== null);
    if (!fix || repairable.length === 0 || round > MAX_ROUNDS) {
      const left = new Set([...settled, ...moving].map(identityOf));
      const differences = [...found].map(([id, one]) => ({ ...one, repaired: !left.has(id) }));
      return { items, differences, moving };
    }
    await repairAll(where, repairable);
  }
};
