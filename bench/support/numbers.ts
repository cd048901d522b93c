/** Statistics of measured values. */
import type { Spread } from "../../scripts/figures/results.ts";

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return ((sorted[half] ?? Number.NaN) + (sorted[sorted.length - 1 - half] ?? Number.NaN)) / 2;
};

const rounded = (value: number, digits: number): number => Number(value.toFixed(digits));

/** Returns the median, with the least and the most, rounded to a number of decimals. */
export const spreadOf = (values: readonly number[], digits: number): Spread => ({
  median: rounded(median(values), digits),
  least: rounded(Math.min(...values), digits),
  most: rounded(Math.max(...values), digits),
  digits,
});

/** The median of the ratios in each round. A slow moment of the machine affects both values of a round. */
export const ratio = (ones: readonly number[], others: readonly number[]): number =>
  median(ones.map((one, n) => one / (others[n] ?? Number.NaN)));
