/** Metrics in the log, in CloudWatch's embedded metric format. */
import type { Metrics } from "@aws-lambda-powertools/metrics";

export const NAMESPACE = "ZombieGame";

/**
 * The metrics and their units. AWS's own metrics are not repeated here, and rejected requests are counted by a metric
 * filter on their log lines (resources/logs.yml).
 */
export const METRICS = {
  /** Hunts, and deaths of every kind, as the table's stream delivers them; a redelivered record counts again. */
  Hunts: "Count",
  Deaths: "Count",
  PushSent: "Count",
  PushExpired: "Count",
  PushFailed: "Count",
  PushRetried: "Count",
  PushKeyRefused: "Count",
  /** Attempts to deliver a message to a webhook, by their result. */
  WebhookSent: "Count",
  WebhookRetried: "Count",
  WebhookFailed: "Count",
  /** Attempts to send a mail, by their result. */
  MailSent: "Count",
  MailRetried: "Count",
  MailFailed: "Count",
  /** 100 for an address that the server refuses, and 0 for one that it accepts: the average is the share. */
  MailRefused: "Percent",
  /** Attempts that have failed while no mail was accepted for a quarter of an hour. */
  MailStuck: "Count",
  /** The age of the oldest starvation recorded by a sweep; none when it recorded nothing. */
  SweepLag: "Seconds",
  /** Sweeps that recorded no starvation because the clock may have jumped. */
  SweepHeld: "Count",
  StreamRecordUnreadable: "Count",
  /** Queue messages to be redelivered or dead-lettered. For AWS their invocation succeeded. */
  MessagesFailed: "Count",
} as const satisfies Record<string, "Count" | "Percent" | "Seconds">;

type Metric = keyof typeof METRICS;

let metrics: Metrics | undefined;

const isMetric = (name: string): name is Metric => Object.hasOwn(METRICS, name);

/** Records metrics by their names. Counts of zero are left out; durations are recorded even when zero. */
export const recordMetrics = async (counts: Partial<Record<Metric, number>>): Promise<void> => {
  const recorded = Object.entries(counts).flatMap(([name, value]) =>
    isMetric(name) && (value !== 0 || METRICS[name] !== "Count") ? [{ name, value }] : [],
  );
  if (recorded.length === 0) return;
  // Loaded with the first metric, to keep cold starts short.
  const { Metrics } = await import("@aws-lambda-powertools/metrics");
  // The dimension `service` is POWERTOOLS_SERVICE_NAME, which differs for each stage of an account.
  metrics ??= new Metrics({ namespace: NAMESPACE });
  for (const { name, value } of recorded) metrics.addMetric(name, METRICS[name], value);
  metrics.publishStoredMetrics();
};
