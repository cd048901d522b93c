/**
 * The log, one line of JSON per entry, whatever its fields are, and metrics, which are such lines. What is counted is tested
 * in tests/behaviour/observability.test.ts.
 */
import { afterEach, expect, it, vi } from "vitest";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { logLines } from "../support/logLines.ts";

const lines = logLines();
const entries = () => lines.map((line) => JSON.parse(line));

const logAt = async (level?: string) => {
  vi.resetModules();
  vi.stubEnv("LOG_LEVEL", level);
  return (await import("../../lib/runtime/log.ts")).log;
};

afterEach(() => {
  vi.unstubAllEnvs();
  // Other files of this worker get a log of their own level.
  vi.resetModules();
});

it("writes level, message, UTC time and service, errors to stderr", async () => {
  vi.stubEnv("TZ", "Asia/Kolkata");
  vi.stubEnv("POWERTOOLS_SERVICE_NAME", "zombie-game-spring");
  const log = await logAt();
  log.info("request", { status: 200, code: undefined });
  log.error("fault");
  expect(process.stderr.write).toHaveBeenCalledExactlyOnceWith(lines[1]);
  for (const line of lines) expect(line).toMatch(/^[^\n]*\}\n$/);
  const [info, error] = entries();
  const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(info).toEqual({
    ...{ level: "INFO", message: "request", timestamp, service: "zombie-game-spring", status: 200 },
  });
  expect(error).toMatchObject({ level: "ERROR", message: "fault" });
});

// An invalid level, which is reported elsewhere, counts as INFO.
it.each([
  ["INFO", "INFO WARN ERROR"],
  ["warn", "WARN ERROR"],
  ["SILENT", ""],
  ["LOUD", "INFO WARN ERROR"],
])("writes with LOG_LEVEL=%s entries of the levels %j", async (level, levels) => {
  const log = await logAt(level);
  for (const write of [log.info, log.warn, log.error]) write("text");
  const written = entries().map((entry) => entry.level);
  expect(written.join(" ")).toBe(levels);
});

it("writes an error with its stack, its fields and its causes, each error of a cycle once, on one line", async () => {
  const log = await logAt("INFO");
  const cause: Error = Object.assign(new TypeError("deep\nbelow"), { code: "E_DEEP" });
  const above = new Error("above", { cause });
  cause.cause = above;
  log.error("fault", { error: above, thrown: "a text" });
  const stack = expect.stringContaining("log.test.ts");
  const inner = { name: "TypeError", message: "deep\nbelow", code: "E_DEEP", cause: "Error: see above" };
  const error = { name: "Error", message: "above", stack, cause: inner };
  expect(entries()).toMatchObject([{ error, thrown: "a text" }]);
});

it("writes an entry also when a field cannot be serialized", async () => {
  const log = await logAt("INFO");
  const ring: Record<string, unknown> = { large: 2n ** 70n, request_id: "r1", error: new Error("why") };
  log.info("large", ring);
  ring.itself = ring;
  log.info("ring", ring);
  const broken = {
    get field(): string {
      throw new Error("no");
    },
  };
  log.info("broken", { broken, route: "POST /login" });
  const error = { name: "Error", message: "why", stack: expect.stringContaining("log.test.ts") };
  expect(entries()).toMatchObject([
    { large: "1180591620717411303424" },
    { message: "ring", request_id: "r1", error, unserializable: expect.stringContaining("circular") },
    { message: "broken", route: "POST /login", unserializable: "no" },
  ]);
});

it("metrics are counts by name in CloudWatch's embedded format, without those that are zero", async () => {
  vi.stubEnv("POWERTOOLS_METRICS_DISABLED", "false");
  vi.resetModules();
  const { recordMetrics } = await import("../../lib/runtime/metrics.ts");
  await recordMetrics({ PushSent: 3, PushFailed: 0, PushKeyRefused: 1 });
  await recordMetrics({ PushSent: 0 });
  const Metrics = ["PushSent", "PushKeyRefused"].map((Name) => ({ Name, Unit: "Count" }));
  const _aws = { CloudWatchMetrics: [{ Namespace: "ZombieGame", Metrics }] };
  expect(entries()).toMatchObject([{ PushSent: 3, PushKeyRefused: 1, _aws }]);
});

it("an invocation is a cold start only when it is the first of its process", async () => {
  await logAt("INFO");
  const { handler } = await import("../../functions/player/health.ts");
  const event = { requestContext: { http: {} } } as Parameters<typeof handler>[0];
  await Promise.all([handler(event, lambdaContext()), handler(event, lambdaContext())]);
  await handler(event, lambdaContext());
  const requests = entries().filter(({ message }) => message === "request");
  expect(requests.map(({ cold_start }) => cold_start)).toEqual([true, false, false]);
  expect(requests[0]).toMatchObject({ read_units: 0, write_units: 0 });
});
