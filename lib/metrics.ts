/** Metrics: counted in the log, in the embedded format that CloudWatch makes graphs and alarms of. */
import type { Metrics } from "@aws-lambda-powertools/metrics";

let metrics: Metrics | undefined;

/** Counts things of this deployment, by their names; what is zero is left out. */
export const count = async (counts: Record<string, number>): Promise<void> => {
  const some = Object.entries(counts).filter(([, value]) => value !== 0);
  if (some.length === 0) return;
  // Loaded with the first that there is to count.
  const { Metrics, MetricUnit } = await import("@aws-lambda-powertools/metrics");
  metrics ??= new Metrics({ namespace: "ZombieGame", serviceName: "zombie-game" });
  for (const [name, value] of some) metrics.addMetric(name, MetricUnit.Count, value);
  metrics.publishStoredMetrics();
};
