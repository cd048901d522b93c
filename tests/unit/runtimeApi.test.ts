/** The Runtime API that AWS's runtime loop talks to in `npm run test:emulator`: what it passes on, and what it refuses. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { type RuntimeApi, startRuntimeApi } from "../../scripts/emulator/runtimeApi.ts";

let api: RuntimeApi;
beforeEach(async () => {
  api = await startRuntimeApi();
});
afterEach(() => api.close());

const ask = async (method: string, path: string, body?: string) => {
  const url = `http://${api.address}/2018-06-01/runtime/${path}`;
  const response = await fetch(url, { method, ...(body === undefined ? {} : { body }) });
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) };
};
const refused = (status: number, errorType: string) =>
  expect.objectContaining({ status, body: expect.objectContaining({ errorType }) });

const invoke = (event: string) => api.invoke({ event, deadline: 5, functionArn: "arn:one" });

/** Fetches the next event as the runtime does. @returns the path of its result */
const next = async (): Promise<string> => {
  const { status, headers, body } = await ask("GET", "invocation/next");
  expect([status, body]).toEqual([200, { n: 1 }]);
  expect(headers.get("lambda-runtime-deadline-ms")).toBe("5");
  expect(headers.get("lambda-runtime-invoked-function-arn")).toBe("arn:one");
  return `invocation/${headers.get("lambda-runtime-aws-request-id")}`;
};

it("passes on an event whether the runtime or the event comes first, and its result or error", async () => {
  const waiting = next();
  const first = invoke('{"n":1}');
  expect((await ask("POST", `${await waiting}/response`, '"done"')).status).toBe(202);
  expect(await first).toEqual({ result: '"done"' });
  const second = invoke('{"n":1}');
  const error = { errorType: "TypeError", errorMessage: "no", trace: ["line"] };
  expect((await ask("POST", `${await next()}/error`, JSON.stringify(error))).status).toBe(202);
  expect(await second).toEqual({ error });
});

it("refuses a result of another request, a second result, and a second event during the first", async () => {
  expect(await ask("POST", "invocation/none/response", "1")).toEqual(refused(400, "InvalidRequestID"));
  const done = invoke('{"n":1}');
  const path = await next();
  expect(await ask("POST", "invocation/none/response", "1")).toEqual(refused(400, "InvalidRequestID"));
  expect(await ask("GET", "invocation/next")).toEqual(refused(403, "InvalidStateTransition"));
  expect((await ask("POST", `${path}/response`, "1")).status).toBe(202);
  expect(await ask("POST", `${path}/response`, "2")).toEqual(refused(403, "InvalidStateTransition"));
  expect(await ask("POST", "nonsense")).toEqual(refused(404, "NotFound"));
  expect(await done).toEqual({ result: "1" });
});

it("refuses a result over 6 MB and 100 bytes, and the invocation fails", async () => {
  for (const [over, status] of [
    [0, 202],
    [1, 413],
  ] as const) {
    const done = invoke('{"n":1}');
    const path = await next();
    expect((await ask("POST", `${path}/response`, "x".repeat(6 * 1024 * 1024 + 100 + over))).status).toBe(
      status,
    );
    expect("error" in (await done)).toBe(status === 413);
  }
});

it("reports an error of the initialization, after which there is no event", async () => {
  const error = { errorType: "Error", errorMessage: "no table", trace: [] };
  expect((await ask("POST", "init/error", JSON.stringify(error))).status).toBe(202);
  expect(await api.initError).toEqual(error);
  expect(await ask("GET", "invocation/next")).toEqual(refused(403, "InvalidStateTransition"));
  expect(await ask("POST", "init/error", "{}")).toEqual(refused(403, "InvalidStateTransition"));
});
