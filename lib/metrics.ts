/** Metrics: counted in the log, in the embedded format that CloudWatch makes graphs and alarms of. */
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";

let metrics: Metrics | undefined;

/** Counts things of this deployment, by their names; what is zero is left out. */
export const count = (counts: Record<string, number>): void => {
  const some = Object.entries(counts).filter(([, value]) => value !== 0);
  if (some.length === 0) return;
  metrics ??= new Metrics({ namespace: "ZombieGame", serviceName: "zombie-game" });
  for (const [name, value] of some) metrics.addMetric(name, MetricUnit.Count, value);
  metrics.publishStoredMetrics();
};
