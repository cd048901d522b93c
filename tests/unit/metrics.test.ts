/** Metrics: log lines in CloudWatch's embedded format. What is counted is tested in tests/behaviour/observability. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const lines: string[] = [];

beforeEach(() => {
  vi.resetModules();
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  vi.stubEnv("POWERTOOLS_SERVICE_NAME", "zombie-game-spring");
  lines.length = 0;
  vi.spyOn(process.stdout, "write").mockImplementation((line) => {
    lines.push(String(line));
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it("are counts by name, without those that are zero", async () => {
  const { recordMetrics } = await import("../../lib/runtime/metrics.ts");
  await recordMetrics({ PushSent: 3, PushFailed: 0, PushKeyRefused: 1 });
  await recordMetrics({ PushSent: 0 });
  expect(lines).toHaveLength(1);
  const { _aws, ...values } = JSON.parse(lines[0] ?? "");
  expect(values).toEqual({ service: "zombie-game-spring", PushSent: 3, PushKeyRefused: 1 });
  const Metrics = ["PushSent", "PushKeyRefused"].map((Name) => ({ Name, Unit: "Count" }));
  expect(_aws.CloudWatchMetrics).toMatchObject([{ Namespace: "ZombieGame", Metrics }]);
});
