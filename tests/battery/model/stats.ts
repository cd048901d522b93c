/** What has really run: steps, kinds of command, answers. */

interface Tally {
  ran: number;
  succeeded: number;
}

export interface Stats {
  sequences: number;
  steps: number;
  requests: number;
  looks: number;
  tableChecks: number;
  byKind: Map<string, Tally>;
  refusals: Map<string, number>;
}

export const newStats = (): Stats => ({
  sequences: 0,
  steps: 0,
  requests: 0,
  looks: 0,
  tableChecks: 0,
  byKind: new Map(),
  refusals: new Map(),
});

export const countKind = (stats: Stats, kind: string, succeeded: boolean): void => {
  const tally = stats.byKind.get(kind) ?? { ran: 0, succeeded: 0 };
  tally.ran += 1;
  if (succeeded) tally.succeeded += 1;
  stats.byKind.set(kind, tally);
  stats.steps += 1;
};

export const countRefusal = (stats: Stats, code: string): void => {
  stats.refusals.set(code, (stats.refusals.get(code) ?? 0) + 1);
};

/** How many of the steps did what they were meant to. */
export const shareSucceeded = ({ byKind, steps }: Stats): number =>
  [...byKind.values()].reduce((sum, { succeeded }) => sum + succeeded, 0) / steps;

/** All of it in a line. */
export const inWords = (stats: Stats): string => {
  const { sequences, steps, requests, looks, tableChecks, byKind, refusals } = stats;
  const kinds = [...byKind].map(([kind, { ran, succeeded }]) => `${kind} ${succeeded}/${ran}`).toSorted();
  const codes = [...refusals].map(([code, times]) => `${code} ${times}`).toSorted();
  const share = Math.round(100 * shareSucceeded(stats));
  return [
    `${steps} commands (${(steps / sequences).toFixed(1)} a sequence, ${share} % succeeded), ${requests} requests`,
    `the table held against the model ${tableChecks} times, views looked at ${looks} times`,
    `succeeded/ran: ${kinds.join(", ")}`,
    `refusals: ${codes.join(", ")}`,
  ].join("; ");
};
