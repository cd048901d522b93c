/** What is recorded of one invocation. Its capacity is tested in tests/behaviour/observability.test.ts. */
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { lambdaContext } from "../../scripts/local/inProcess.ts";

const lines: string[] = [];

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

it("ignores what is recorded outside of any invocation or after its end", async () => {
  const { setInvocationPlayer, addCapacity, invocationLogFields, runInvocation } = await import(
    "../../lib/runtime/invocation.ts"
  );
  addCapacity("read", 1);
  setInvocationPlayer("somebody");
  expect(() => invocationLogFields()).toThrow(/no invocation/);
  let late = Promise.resolve();
  const line = runInvocation(() => {
    late = new Promise<void>((resolve) => setTimeout(resolve, 1)).then(() => addCapacity("write", 3));
    return invocationLogFields();
  });
  await late;
  expect(line.write_units).toBe(0);
});
