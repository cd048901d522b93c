/**
 * Recounting a table: it is surveyed until its differences stand still, for a game that runs moves while it is read,
 * and mended by writes that hold only while what they were judged by is still so.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { NEW_GAME } from "../../lib/domain/clock.ts";
import type { StoredItem, Write } from "../../lib/dynamodb/database.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { commit } from "../../lib/store/commit.ts";
import { COUNTER_SLOTS, countersList, keys } from "../../lib/store/keys.ts";
import { allItems } from "../../lib/store/lists.ts";
import { scanAll } from "../archive/scan.ts";
import type { Target } from "../archive/target.ts";
import { differencesOf } from "./audit/audit.ts";
import { contentOf, type Difference, identityOf } from "./audit/difference.ts";
import { addItem, newSurvey } from "./audit/survey.ts";

/** So often is a table read before what still moves is left alone. */
const MOST_LOOKS = 5;
/** Mending one thing may show another: a guard that waited for its player. */
const MOST_ROUNDS = 5;
const PAUSE_MS = 200;
const PATIENCE_MS = 10_000;

export interface Recount {
  items: number;
  /** What stood still, and whether it was mended. */
  differences: (Difference & { mended: boolean })[];
  /** What differed each time, but never twice in the same way. */
  moving: Difference[];
}

export interface RecountOptions {
  fix?: boolean;
  /** Hears of each page read. */
  onItems?: (count: number) => void;
  /** Between two looks, in milliseconds: what is just being written is through by then. */
  pauseMs?: number;
}

type Where = Pick<Target, "client" | "db" | "table">;

interface Look {
  items: number;
  differences: Difference[];
  /** Whether no counter moved while it was taken: otherwise what differs of them says nothing. */
  isSteady: boolean;
}

const readCounters = async ({ db }: Where): Promise<StoredItem[]> => {
  const game = await db.get(keys.game);
  // Also of a game that cannot be read otherwise.
  const shards = typeof game?.shards === "number" ? game.shards : NEW_GAME.shards;
  return allItems(db, { partition: countersList, shards, consistent: true }, COUNTER_SLOTS);
};

const look = async (where: Where, onItems: (count: number) => void): Promise<Look> => {
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

/** Looks until everything that differs did so before, in the same way. */
const settledLook = async (
  where: Where,
  { onItems = () => {}, pauseMs = PAUSE_MS }: RecountOptions,
): Promise<{ items: number; settled: Difference[]; moving: Difference[] }> => {
  let known = new Set<string>();
  for (let looks = 1; ; looks += 1) {
    const { items, differences, isSteady } = await look(where, onItems);
    const isSettled = (one: Difference): boolean =>
      known.has(contentOf(one)) && (isSteady || one.kind !== "counter");
    const moving = differences.filter((one) => !isSettled(one));
    if (moving.length === 0 || looks === MOST_LOOKS) {
      return { items, settled: differences.filter(isSettled), moving };
    }
    known = new Set(
      differences.filter(({ kind }) => isSteady || kind !== "counter").map((one) => contentOf(one)),
    );
    await pause(pauseMs);
  }
};

const isOfPlayer = (write: Write): boolean => "put" in write && write.put.sk === "PROFILE";

/** Carries out the mends, those that check a player before those that move one; what has moved is left for the next look. */
const mendAll = async ({ db }: Where, differences: readonly Difference[]): Promise<void> => {
  const mends = [...new Set(differences.flatMap(({ mend }) => (mend === null ? [] : [mend])))];
  const inOrder = mends.toSorted(
    (one, other) => Number(one.some(isOfPlayer)) - Number(other.some(isOfPlayer)),
  );
  for (const mend of inOrder) {
    const until = performance.now() + PATIENCE_MS;
    try {
      await commit(db, mend, () => until - performance.now());
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};

/** Recounts a table; with `fix`, mends what it can. */
export const recount = async (where: Where, options: RecountOptions = {}): Promise<Recount> => {
  const { fix = false } = options;
  const found = new Map<string, Difference>();
  for (let round = 1; ; round += 1) {
    const { items, settled, moving } = await settledLook(where, options);
    for (const one of settled) found.set(identityOf(one), found.get(identityOf(one)) ?? one);
    const mendable = settled.filter(({ mend }) => mend !== null);
    if (!fix || mendable.length === 0 || round > MOST_ROUNDS) {
      const left = new Set([...settled, ...moving].map(identityOf));
      const differences = [...found].map(([id, one]) => ({ ...one, mended: !left.has(id) }));
      return { items, differences, moving };
    }
    await mendAll(where, mendable);
  }
};
