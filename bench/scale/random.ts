/** Random numbers that a seed repeats. */
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

export interface Random {
  /** From 0 up to, without, 1. */
  part: () => number;
  /** A whole number from 0 up to, without, `bound`. */
  below: (bound: number) => number;
}

const WORD = 2 ** 32;

export const randomFrom = (seed: number): Random => {
  const generator = xoroshiro128plus(seed);
  const part = (): number => (generator.next() >>> 0) / WORD;
  return { part, below: (bound) => Math.floor(part() * bound) };
};
