/** Rounds: each runs every subject once, so that what slows the machine down slows down all of them. */
import { watchOthers } from "./machine.ts";
import { median } from "./numbers.ts";

/** Rounds in which other programs used a larger share of the machine are dropped, */
const MAX_OTHERS = 0.05;
/** unless fewer than this are left. */
const MIN_QUIET = 5;

interface Round<S extends string, T> {
  /** The share of the machine that other programs used. */
  others: number;
  results: Record<S, T>;
}

export interface Rounds<S extends string, T> {
  all: Round<S, T>[];
  /** A value of each round that counts. */
  values: (subject: S, pick: (result: T) => number) => number[];
  /** How many rounds there were and how quiet they were, in words. */
  summary: string;
}

export interface Plan {
  /** Rounds are repeated until so many were quiet, */
  wanted: number;
  /** but no more often than this. */
  most: number;
}

export const QUICK: Plan = { wanted: 1, most: 1 };

/** Runs all subjects in each round. A first round, in which code is compiled and connections are opened, is dropped. */
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
  const all: Round<S, T>[] = [];
  const quiet = (): Round<S, T>[] => all.filter(({ others }) => others <= MAX_OTHERS);
  while (all.length < plan.most && quiet().length < plan.wanted) all.push(await round());
  const counted = quiet().length < MIN_QUIET ? all : quiet();
  const others = median(counted.map((one) => one.others)) * 100;
  return {
    all,
    values: (subject, pick) => counted.map(({ results }) => pick(results[subject])),
    summary:
      `${counted.length} rounds of ${all.length}, of which ${quiet().length} were quiet (others used ` +
      `${others.toFixed(0)} % of the machine); medians (from the least to the most)`,
  };
};
