/** What is recorded of one invocation: cold start, capacity and duration, separately from all others. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { lambdaContext } from "../support/context.ts";

const lines: string[] = [];
const load = () => import("../../lib/runtime/invocation.ts");

beforeEach(() => {
  vi.resetModules();
  vi.stubEnv("LOG_LEVEL", "INFO");
  lines.length = 0;
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, "write").mockImplementation((line) => {
      lines.push(String(line));
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

it("is a cold start only when it is the first of its process", async () => {
  const { handler } = await import("../../functions/player/health.ts");
  const event = { requestContext: { http: {} } } as Parameters<typeof handler>[0];
  await Promise.all([handler(event, lambdaContext()), handler(event, lambdaContext())]);
  await handler(event, lambdaContext());
  const requests = lines.map((line) => JSON.parse(line)).filter(({ message }) => message === "request");
  expect(requests.map(({ cold_start }) => cold_start)).toEqual([true, false, false]);
  expect(requests[0]).toMatchObject({ read_units: 0, write_units: 0 });
});

it("counts the capacity of its own work, rounded to tenths", async () => {
  const { addCapacity, invocationLogFields: invocationLine, runInvocation } = await load();
  const work = (units: number) =>
    runInvocation(async () => {
      addCapacity("read", units);
      await new Promise((resolve) => setTimeout(resolve, 5));
      await Promise.all([0.1, 0.2].map(async (more) => addCapacity("write", more)));
      return invocationLine();
    });
  const [one, other] = await Promise.all([work(1.5), work(7)]);
  expect(one).toMatchObject({ read_units: 1.5, write_units: 0.3, cold_start: true });
  expect(other).toMatchObject({ read_units: 7, write_units: 0.3, cold_start: false });
  expect(one.duration_ms).toBeGreaterThan(4);
});

it("ignores what is recorded outside of any invocation or after its end", async () => {
  const {
    setInvocationPlayer: admittedAs,
    addCapacity,
    invocationLogFields: invocationLine,
    runInvocation,
  } = await load();
  addCapacity("read", 1);
  admittedAs("somebody");
  expect(() => invocationLine()).toThrow(/no invocation/);
  let late = Promise.resolve();
  const line = runInvocation(() => {
    late = new Promise<void>((resolve) => setTimeout(resolve, 1)).then(() => addCapacity("write", 3));
    return invocationLine();
  });
  await late;
  expect(line.write_units).toBe(0);
});
