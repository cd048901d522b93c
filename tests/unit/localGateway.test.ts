/** What the local gateway does beside serverless-offline, and packages that are installed under a running service. */
import { chmod, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { log } from "../../lib/runtime/log.ts";
import { localHandler } from "../../scripts/local/gateway.ts";
import { untilInstalled } from "../../scripts/local/installedPackages.ts";
import { lambdaContext } from "../support/context.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(folder, { recursive: true });
});

const write = async (source: string): Promise<string> => {
  const file = join(folder, "handler.mjs");
  await writeFile(file, source);
  return file;
};

describe("a handler", () => {
  const request = { requestContext: { http: {} } };

  it.each([
    ["cannot be loaded", "handler cannot be loaded", 'import "no-such-package"; export const handler = 1;'],
    ["is not exported", "handler cannot be loaded", "export const other = 1;"],
    ["throws", "handler failed", 'export const handler = async () => { throw new Error("broken"); };'],
  ])(
    "that %s is answered 500 with a line in the log, and its caller told when it is a worker",
    async (_, said, source) => {
      const logged = vi.spyOn(log, "error").mockImplementation(() => {});
      const handler = localHandler("a_function", await write(source));
      const response = await handler(request, lambdaContext());
      expect(response).toMatchObject({ statusCode: 500, headers: { "x-request-id": expect.any(String) } });
      expect(JSON.stringify(response)).not.toMatch(/broken|no-such-package|stack/);
      expect(logged).toHaveBeenCalledExactlyOnceWith(said, expect.objectContaining({ name: "a_function" }));
      await expect(handler({ Records: [] }, lambdaContext())).rejects.toThrow();
    },
  );

  it("that answers is passed through", async () => {
    const handler = localHandler(
      "a_function",
      await write("export const handler = async (event) => ({ event });"),
    );
    expect(await handler(request, lambdaContext())).toEqual({ event: request });
  });
});

it("an installation is noticed when npm has written its last file, and not while that is missing", async () => {
  const file = join(folder, ".package-lock.json");
  await writeFile(file, "{}");
  let isDone = false;
  const installed = untilInstalled(file, 20).then(() => {
    isDone = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 100));
  await chmod(file, 0o600);
  await new Promise((resolve) => setTimeout(resolve, 100));
  await rm(file);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(isDone).toBe(false);
  await writeFile(`${file}.draft`, "{}");
  await rename(`${file}.draft`, file);
  await installed;
});
