/** The numbers of a bench: what one of them stands for many, and how one many compares with another. */

const sorted = (values: readonly number[]): number[] => values.toSorted((one, other) => one - other);

export const median = (values: readonly number[]): number => {
  const all = sorted(values);
  const half = Math.floor(all.length / 2);
  return ((all[half] ?? Number.NaN) + (all[all.length - 1 - half] ?? Number.NaN)) / 2;
};

/** The value that this part of all lies below. */
export const percentile = (values: readonly number[], part: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;

/** The median, from the least to the most. */
export const spread = (values: readonly number[], digits: number): string =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)})`;

/** Of each round one against the other, and of these the median: what slows the machine down slows down both. */
export const ratio = (ones: readonly number[], others: readonly number[]): number =>
  median(ones.map((one, n) => one / (others[n] ?? Number.NaN)));
