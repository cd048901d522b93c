/** Records metrics, which are not published in tests. */
import { Metrics } from "@aws-lambda-powertools/metrics";
import { afterEach, beforeEach, vi } from "vitest";

/** The recorded metrics, in order; emptied before each test. */
export const recordMetrics = () => {
  const counted: { name: string; unit: string; value: number }[] = [];
  beforeEach(() => {
    counted.length = 0;
    vi.spyOn(Metrics.prototype, "addMetric").mockImplementation(function (this: Metrics, name, unit, value) {
      counted.push({ name, unit, value });
      return this;
    });
    vi.spyOn(Metrics.prototype, "publishStoredMetrics").mockReturnThis();
  });
  afterEach(() => void vi.restoreAllMocks());
  return counted;
};

/** The sum of each metric. */
export const sumByName = (counted: ReturnType<typeof recordMetrics>): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const { name, value } of counted) sums[name] = (sums[name] ?? 0) + value;
  return sums;
};
