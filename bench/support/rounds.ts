/** Measures in rounds: each runs every subject once, so that a slow moment of the machine affects all of them. */
import { watchOtherPrograms } from "./machine.ts";
import { median } from "./numbers.ts";

/** A round is quiet if other programs used at most this share of the machine. */
const MAX_OTHERS_SHARE = 0.05;
/** With fewer quiet rounds, all rounds count. */
const MIN_QUIET_ROUNDS = 5;

interface Round<S extends string, T> {
  /** The share of the machine that other programs used. */
  others: number;
  results: Record<S, T>;
}

export interface Rounds<S extends string, T> {
  all: Round<S, T>[];
  /** Returns a value of a subject from each round that counts. */
  values: (subject: S, pick: (result: T) => number) => number[];
  /** Describes how many rounds there were, and how many of them were quiet. */
  summary: string;
}

export interface Plan {
  /** Rounds are repeated until this number of them were quiet. */
  quietRounds: number;
  /** The maximum number of rounds, quiet or not. */
  maxRounds: number;
}

export const QUICK: Plan = { quietRounds: 1, maxRounds: 1 };

/** Runs all subjects in each round. The first round, which compiles code and opens connections, does not count. */
export const runRounds = async <S extends string, T>(
  subjects: readonly S[],
  plan: Plan,
  run: (subject: S) => Promise<T>,
): Promise<Rounds<S, T>> => {
  const round = async (): Promise<Round<S, T>> => {
    const others = watchOtherPrograms();
    const results: Partial<Record<S, T>> = {};
    for (const subject of subjects) results[subject] = await run(subject);
    // The loop has added every subject.
    return { others: others(), results: results as Record<S, T> };
  };
  if (plan !== QUICK) await round();
  const all: Round<S, T>[] = [];
  const quiet = (): Round<S, T>[] => all.filter(({ others }) => others <= MAX_OTHERS_SHARE);
  while (all.length < plan.maxRounds && quiet().length < plan.quietRounds) all.push(await round());
  const counted = quiet().length < MIN_QUIET_ROUNDS ? all : quiet();
  const others = median(counted.map((one) => one.others)) * 100;
  return {
    all,
    values: (subject, pick) => counted.map(({ results }) => pick(results[subject])),
    summary:
      `${counted.length} rounds of ${all.length}, of which ${quiet().length} were quiet (others used ` +
      `${others.toFixed(0)} % of the machine); medians (minimum to maximum)`,
  };
};
