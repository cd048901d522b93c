/** What is counted while a story is told: metrics are not published in tests. */
import { Metrics } from "@aws-lambda-powertools/metrics";
import { afterEach, beforeEach, vi } from "vitest";

export interface Counted {
  name: string;
  unit: string;
  value: number;
  /** What tells it apart from others of its name. */
  by: Record<string, string>;
}

/** Catches all that is counted, in its order; the list is emptied before each story. */
export const counting = (): readonly Counted[] => {
  const counted: Counted[] = [];
  let by: Record<string, string> = {};
  beforeEach(() => {
    counted.length = 0;
    vi.spyOn(Metrics.prototype, "addDimension").mockImplementation(function (this: Metrics, name, value) {
      by[name] = value;
      return this;
    });
    vi.spyOn(Metrics.prototype, "addMetric").mockImplementation(function (this: Metrics, name, unit, value) {
      counted.push({ name, unit, value, by });
      return this;
    });
    vi.spyOn(Metrics.prototype, "publishStoredMetrics").mockImplementation(function (this: Metrics) {
      by = {};
      return this;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return counted;
};

/** Each name with its sum. */
export const sumsOf = (counted: readonly Counted[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { name, value } of counted) sums[name] = (sums[name] ?? 0) + value;
  return sums;
};
