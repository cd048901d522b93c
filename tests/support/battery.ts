/**
 * The parts of the battery: how many cases each runs at this scale and from which seed, and a check that it ran them.
 * `npm test` runs a three-hundredth with a fresh seed, `.ci/run` with that of the day, `npm run test:battery` everything.
 * `BATTERY_SEED` repeats a run, `BATTERY_DIVISOR` sets the share.
 */
import { appendFile } from "node:fs/promises";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";
import { afterAll, expect } from "vitest";

/** Whether all cases run. */
export const FULL = process.env.TEST_SCALE === "battery";

/** Whether the run is to end within a minute. */
export const QUICK = process.env.TEST_SCALE === "quick";

/** Whether long lists are tested whole. Otherwise the seed chooses a part of each. */
export const IS_WHOLE = FULL || process.env.TEST_SCALE === "whole";

const environmentNumber = (name: string, least: number, most: number): number | undefined => {
  const text = process.env[name];
  if (text === undefined || text === "") return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most) {
    throw new Error(`${name} is a whole number from ${least} to ${most}`);
  }
  return value;
};

/** Each figure of the battery is divided by this: 1 at full figures, otherwise BATTERY_DIVISOR or 300. */
const DIVISOR = FULL ? 1 : (environmentNumber("BATTERY_DIVISOR", 1, 1_000) ?? 300);

/** Whether enough cases run to expect something of them together: rates, and that each kind occurs. */
export const IS_LARGE = DIVISOR <= 10;

/** A number of cases at this scale. @param full the number when all run @param least the smallest useful number */
export const share = (full: number, least = 1): number => Math.max(least, Math.ceil(full / DIVISOR));

/** The seed of this process: `BATTERY_SEED`, or a fresh one. */
export const SEED: number =
  environmentNumber("BATTERY_SEED", 0, 0x7fff_ffff) ?? Math.floor(Math.random() * 0x7fff_ffff);

/** Random numbers that depend only on a seed. */
export interface Random {
  /** A whole number from 0, below `bound`. */
  below: (bound: number) => number;
  /** An element of a list. @throws Error for an empty one */
  pick: <T>(from: readonly T[]) => T;
  chance: (probability: number) => boolean;
  shuffle: <T>(things: readonly T[]) => T[];
}

/** Random numbers of a seed. @param place gives several independent sequences of one seed */
export const randomFrom = (seed: number, place = 0): Random => {
  const generator = xoroshiro128plus((seed ^ Math.imul(place + 1, 0x9e37_79b1)) | 0);
  const below = (bound: number): number => uniformInt(generator, 0, bound - 1);
  return {
    below,
    pick(from) {
      if (from.length === 0) throw new Error("there is nothing to choose from");
      // The index is below the length.
      return from[below(from.length)] as (typeof from)[number];
    },
    chance: (probability) => below(1_000_000) < probability * 1_000_000,
    shuffle(things) {
      const left = [...things];
      return things.flatMap(() => left.splice(below(left.length), 1));
    },
  };
};

/**
 * The share that a seed chooses: `divisor` consecutive seeds, from a multiple of it, choose everything.
 * @param place gives several independent choices of one seed
 */
export const shareOf = <T>(
  things: readonly T[],
  seed: number,
  place = 0,
  divisor = DIVISOR,
): readonly T[] => {
  const shuffled = randomFrom(Math.floor(seed / divisor), place).shuffle(things);
  const first = Math.floor((things.length * (seed % divisor)) / divisor);
  return shuffled.slice(first, first + Math.ceil(things.length / divisor));
};

interface PartOptions {
  /** The number of cases at full scale. */
  full: number;
  /** The plural name of a case. */
  of: string;
  /** Whether every case runs at every scale. */
  always?: boolean;
  /** Further results for the report. */
  also?: () => string;
}

/**
 * Declares a part, at the top of a file or of a `describe`. After its tests it reports how many cases ran and from which
 * seed, and fails when those were too few.
 */
export const part = (name: string, { full, of, always = false, also = () => "" }: PartOptions) => {
  const cases = always ? full : share(full);
  const began = Date.now();
  let run = 0;
  let lacking = 0;
  afterAll(async () => {
    const seconds = Math.round((Date.now() - began) / 1_000);
    const more = also();
    console.info(
      [`battery: ${name}: ${run} ${of}, seed ${SEED}, ${seconds} s`, more].filter(Boolean).join("; "),
    );
    expect(run, `${of} that ran`).toBeGreaterThanOrEqual(cases - lacking);
    const record = process.env.BATTERY_RECORD;
    if (record === undefined) return;
    await appendFile(record, `${JSON.stringify({ name, cases: run, of, seed: SEED, seconds, more })}\n`);
  });
  return {
    /** The number of cases at this scale. */
    cases,
    seed: SEED,
    /** Counts cases that have run and passed. */
    ran(some = 1): void {
      run += some;
    },
    /** Lowers the number that must run, where fewer cases exist. */
    lacks(some: number): void {
      lacking += some;
    },
  };
};
