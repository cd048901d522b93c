/** Statistics of measured values. */
export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other);
  const half = Math.floor(sorted.length / 2);
  return ((sorted[half] ?? Number.NaN) + (sorted[sorted.length - 1 - half] ?? Number.NaN)) / 2;
};

/** Formats the median, with the minimum and the maximum. */
export const formatSpread = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** The median of the ratios in each round. A slow moment of the machine affects both values of a round. */
export const ratio = (ones: readonly number[], others: readonly number[]): number =>
  median(ones.map((one, n) => one / (others[n] ?? Number.NaN)));
