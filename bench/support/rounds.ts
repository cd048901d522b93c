/** Rounds: each runs every subject once, in turns, so that what slows the machine down slows down all of them. */
import { watchOthers } from "./machine.ts";
import { median } from "./numbers.ts";

/** More than this, and a round says more of the others than of us. */
const MOST_OTHERS = 0.05;
/** With fewer such rounds, all count. */
const FEWEST_QUIET = 5;

export interface Round<S extends string, T> {
  /** What part of the machine went to whatever else runs on it. */
  others: number;
  results: Record<S, T>;
}

export interface Rounds<S extends string, T> {
  all: Round<S, T>[];
  /** How many had the machine for themselves. */
  quiet: number;
  /** Those that count. */
  counted: Round<S, T>[];
  /** One value of each round that counts. */
  values: (subject: S, what: (result: T) => number) => number[];
  /** How many, and how quiet, in words. */
  told: string;
}

const isQuiet = ({ others }: { others: number }): boolean => others <= MOST_OTHERS;

export interface Plan {
  /** Until so many were quiet, but no more than so many. */
  wanted: number;
  most: number;
}

/** One round, for whoever only wants to know that it works. */
export const QUICK: Plan = { wanted: 1, most: 1 };

/**
 * Runs all subjects round after round, after one round that does not count: what is compiled and connected the first
 * time is no part of what is compared.
 */
export const inTurns = async <S extends string, T>(
  subjects: readonly S[],
  plan: Plan,
  run: (subject: S) => Promise<T>,
): Promise<Rounds<S, T>> => {
  const round = async (): Promise<Round<S, T>> => {
    const others = watchOthers();
    const results: Partial<Record<S, T>> = {};
    for (const subject of subjects) results[subject] = await run(subject);
    // Every subject has just run.
    return { others: others(), results: results as Record<S, T> };
  };
  if (plan !== QUICK) await round();
  const { wanted, most } = plan;
  const all: Round<S, T>[] = [];
  while (all.length < most && all.filter(isQuiet).length < wanted) all.push(await round());
  const quiet = all.filter(isQuiet);
  const counted = quiet.length < FEWEST_QUIET ? all : quiet;
  const others = median(counted.map((one) => one.others));
  return {
    all,
    quiet: quiet.length,
    counted,
    values: (subject, what) => counted.map(({ results }) => what(results[subject])),
    told:
      `${counted.length} rounds, of ${all.length} of which ${quiet.length} had the machine for themselves ` +
      `(others had ${(others * 100).toFixed(0)} % of it); medians (from the least to the most)`,
  };
};
