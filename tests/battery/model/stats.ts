/** Counts what has run: commands by kind, requests and comparisons. */

export interface Stats {
  sequences: number;
  steps: number;
  requests: number;
  looks: number;
  tableChecks: number;
  /** Commands that succeeded, by kind. */
  succeeded: Map<string, number>;
}

export const newStats = (): Stats => ({
  sequences: 0,
  steps: 0,
  requests: 0,
  looks: 0,
  tableChecks: 0,
  succeeded: new Map(),
});

export const countCommand = (stats: Stats, kind: string, hasSucceeded: boolean): void => {
  stats.steps += 1;
  stats.succeeded.set(kind, (stats.succeeded.get(kind) ?? 0) + (hasSucceeded ? 1 : 0));
};

/** The share of commands that did what they were meant to. */
export const shareSucceeded = ({ succeeded, steps }: Stats): number =>
  [...succeeded.values()].reduce((sum, times) => sum + times, 0) / steps;

export const inWords = (stats: Stats): string => {
  const { sequences, steps, requests, looks, tableChecks } = stats;
  const each = (steps / sequences).toFixed(1);
  return [
    `${steps} commands (${each} a sequence, ${Math.round(100 * shareSucceeded(stats))} % succeeded)`,
    `${requests} requests; the table compared with the model ${tableChecks} times, ${looks} views`,
  ].join(", ");
};
