/** Counts what has run. */
export interface Stats {
  sequences: number;
  steps: number;
  tableChecks: number;
  /** Commands that succeeded, by kind. */
  succeeded: Map<string, number>;
}

export const newStats = (): Stats => ({ sequences: 0, steps: 0, tableChecks: 0, succeeded: new Map() });
