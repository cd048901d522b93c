/** What is deployed beside the sources is taken from the cache, or fetched once. */
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { CACHE } from "../../scripts/bundle/cache.ts";
import { provideScalar } from "../../scripts/bundle/scalar.ts";
import { sharpFiles } from "../../scripts/bundle/sharp.ts";
import { UserError } from "../../scripts/cli/userError.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();

it("comes from the cache without a registry; a failed fetch reports what to do and leaves nothing behind", async () => {
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("npm_config_registry", "http://127.0.0.1:9/");
  vi.stubEnv("npm_config_fetch_retries", "0");
  vi.stubEnv("npm_config_cache", pathOf("npm"));
  const [folder = ""] = (await readdir(CACHE)).filter((name) => name.startsWith("sharp-"));
  const cache = pathOf("full");
  await mkdir(join(cache, folder, "sharp"), { recursive: true });
  await writeFile(join(cache, folder, "sharp/index.js"), "kept");
  await writeFile(join(cache, folder, "sharp/index.d.ts"), "never read");
  const files = [...(await sharpFiles(cache))].map(([path, contents]) => [path, String(contents)]);
  expect(files).toEqual([["node_modules/sharp/index.js", "kept"]]);

  const fetched = sharpFiles(pathOf("empty"));
  await expect(fetched).rejects.toBeInstanceOf(UserError);
  await expect(fetched).rejects.toThrow(
    /^The image library sharp \d+\.\d+\.\d+ for linux-arm64, .* Connect to the npm registry and package again/,
  );
  await expect(provideScalar(pathOf("empty"))).rejects.toThrow(
    /^Scalar \d.* Connect to the npm registry and try again/,
  );
  expect(await readdir(pathOf("empty"))).toEqual([]);
  await provideScalar();
});
