/** Records metrics, which are not published in tests. */
import { Metrics } from "@aws-lambda-powertools/metrics";
import { afterEach, beforeEach, vi } from "vitest";

export interface RecordedMetric {
  name: string;
  unit: string;
  value: number;
}

/** The recorded metrics, in order; emptied before each test. */
export const recordMetrics = (): readonly RecordedMetric[] => {
  const counted: RecordedMetric[] = [];
  beforeEach(() => {
    counted.length = 0;
    vi.spyOn(Metrics.prototype, "addMetric").mockImplementation(function (this: Metrics, name, unit, value) {
      counted.push({ name, unit, value });
      return this;
    });
    vi.spyOn(Metrics.prototype, "publishStoredMetrics").mockImplementation(function (this: Metrics) {
      return this;
    });
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  return counted;
};

/** The sum of each metric. */
export const sumByName = (counted: readonly RecordedMetric[]): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { name, value } of counted) sums[name] = (sums[name] ?? 0) + value;
  return sums;
};
