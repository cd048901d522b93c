/** The library of pictures for Lambda's processor: fetched once, and never again. */
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { CACHE } from "../../scripts/bundle/cache.ts";
import { sharpFiles } from "../../scripts/bundle/sharp.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { UserError } from "../../scripts/cli/userError.ts";

let scratch = "";
beforeEach(async () => {
  scratch = await makeTempDir();
  // A registry that does not answer, and nothing that npm remembers.
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9/");
  vi.stubEnv("npm_config_fetch_retries", "0");
  vi.stubEnv("npm_config_cache", join(scratch, "npm"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(scratch, { recursive: true, force: true });
});

it("comes from the cache where there is no registry", async () => {
  const [folder = ""] = (await readdir(CACHE)).filter((name) => name.startsWith("sharp-"));
  const cache = join(scratch, "cache");
  await mkdir(join(cache, folder, "sharp"), { recursive: true });
  await writeFile(join(cache, folder, "sharp/index.js"), "kept");
  await writeFile(join(cache, folder, "sharp/index.d.ts"), "never read");
  const files = await sharpFiles(cache);
  expect([...files].map(([path, contents]) => [path, String(contents)])).toEqual([
    ["node_modules/sharp/index.js", "kept"],
  ]);
});

it("is missed in words that say what to do, and leaves nothing half done", async () => {
  const cache = join(scratch, "cache");
  const fetched = sharpFiles(cache);
  await expect(fetched).rejects.toBeInstanceOf(UserError);
  await expect(fetched).rejects.toThrow(
    /^The picture library sharp \d+\.\d+\.\d+ for linux-arm64, .* connect to the npm registry once, and package again/,
  );
  expect(await readdir(cache)).toEqual([]);
});
