/** The local gateway's handlers, and packages that are installed while a service runs. */
import { chmod, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { log } from "../../lib/runtime/log.ts";
import { localHandler } from "../../scripts/local/gateway.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { untilInstalled } from "../../scripts/local/installedPackages.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const handlerOf = async (source: string) => {
  const file = join(folder, "handler.mjs");
  await writeFile(file, source);
  return localHandler("a_function", file);
};

const request = { requestContext: { http: {} } };

it.each([
  ["cannot be loaded", "handler cannot be loaded", 'import "no-such-package"; export const handler = 1;'],
  ["is not exported", "handler cannot be loaded", "export const other = 1;"],
  ["throws", "handler failed", 'export const handler = async () => { throw new Error("broken"); };'],
])("a handler that %s is logged, and is 500 or, for a worker, an error", async (_, message, source) => {
  const logged = vi.spyOn(log, "error").mockImplementation(() => {});
  const handler = await handlerOf(source);
  const response = await handler(request, lambdaContext());
  expect(response).toMatchObject({ statusCode: 500, headers: { "x-request-id": expect.any(String) } });
  expect(JSON.stringify(response)).not.toMatch(/broken|no-such-package|stack/);
  expect(logged).toHaveBeenCalledExactlyOnceWith(message, expect.objectContaining({ name: "a_function" }));
  await expect(handler({ Records: [] }, lambdaContext())).rejects.toThrow();
});

it("a handler's response is passed through", async () => {
  const handler = await handlerOf("export const handler = async (event) => ({ event });");
  expect(await handler(request, lambdaContext())).toEqual({ event: request });
});

it("an installation is complete when npm has written its last file", async () => {
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  const file = join(folder, ".package-lock.json");
  await writeFile(file, "{}");
  let isDone = false;
  const installed = untilInstalled(file, 20).then(() => {
    isDone = true;
  });
  await pause(100);
  await chmod(file, 0o600);
  await pause(100);
  await rm(file);
  await pause(200);
  expect(isDone).toBe(false);
  await writeFile(`${file}.draft`, "{}");
  await rename(`${file}.draft`, file);
  await installed;
});
