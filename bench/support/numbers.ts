/** Statistics of measured values. */

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return ((sorted[half] ?? Number.NaN) + (sorted[sorted.length - 1 - half] ?? Number.NaN)) / 2;
};

/** The median, with the least and the most. */
export const spread = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** The median of the ratios of each round: what slows the machine down slows down both. */
export const ratio = (ones: readonly number[], others: readonly number[]): number =>
  median(ones.map((one, n) => one / (others[n] ?? Number.NaN)));
