/** Metrics: counted in the log, in the embedded format that CloudWatch makes graphs and alarms of. */
import type { Metrics } from "@aws-lambda-powertools/metrics";

export const NAMESPACE = "ZombieGame";

/**
 * All that is counted here, and its unit. Not what AWS counts for nothing; and refusals are counted by their lines in the
 * log (resources/logs.yml), which takes no request any time.
 */
export const METRICS = {
  /** Hunts, and deaths of every kind, as they come by the table's stream; a record that comes again counts again. */
  Hunts: "Count",
  Deaths: "Count",
  PushSent: "Count",
  PushExpired: "Count",
  PushFailed: "Count",
  PushRetried: "Count",
  PushKeyRefused: "Count",
  /** How long a sweep has let the longest dead of those whom it buried lie; nothing where it buried nobody. */
  SweepLag: "Seconds",
  /** Sweeps that recorded no starvation because the clock may have jumped. */
  SweepHeld: "Count",
  StreamRecordUnreadable: "Count",
  /** Messages of the queue that come again, or are laid aside: for AWS the invocation has succeeded. */
  MessagesFailed: "Count",
} as const satisfies Record<string, "Count" | "Seconds">;

type Metric = keyof typeof METRICS;

let metrics: Metrics | undefined;

const isMetric = (name: string): name is Metric => Object.hasOwn(METRICS, name);

/** Tells of things of this deployment, by their names. A count of nothing is left out; a time is told whatever it is. */
export const recordMetrics = async (counts: Partial<Record<Metric, number>>): Promise<void> => {
  const some = Object.entries(counts).flatMap(([name, value]) =>
    isMetric(name) && (value !== 0 || METRICS[name] !== "Count") ? [{ name, value }] : [],
  );
  if (some.length === 0) return;
  // Loaded with the first that there is to count.
  const { Metrics } = await import("@aws-lambda-powertools/metrics");
  // The dimension `service` is POWERTOOLS_SERVICE_NAME, which is another for each stage in an account.
  metrics ??= new Metrics({ namespace: NAMESPACE });
  for (const { name, value } of some) metrics.addMetric(name, METRICS[name], value);
  metrics.publishStoredMetrics();
};
