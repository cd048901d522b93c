/** Writes the bundles that a bench runs into a folder. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { makeBundles, sizeOf } from "../../scripts/bundle/bundle.ts";
import { ROOT } from "../../scripts/project/root.ts";

export interface Bundle {
  file: string;
  /** Compressed bytes of the code that is loaded at start-up. */
  gzip: number;
}

/** Bundles a file of the repository as it is deployed. */
export const bundle = async (entry: string, folder: string): Promise<Bundle> => {
  const [made] = await makeBundles([entry], { sourceMaps: false });
  if (made === undefined) throw new Error(`no bundle was made of ${entry}`);
  for (const [path, contents] of made.files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
  return { file: join(folder, made.main), gzip: sizeOf(made).gzip };
};

/**
 * Bundles a file of the repository into one CommonJS file, the default of esbuild for Node.js, which loads fastest. As
 * AWS recommends for Lambda, it is minified, and uses the ES modules of packages.
 */
export const plainBundle = async (entry: string, folder: string): Promise<Bundle> => {
  const file = join(folder, basename(entry).replace(/\.ts$/, ".cjs"));
  await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    minify: true,
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    legalComments: "none",
    logLevel: "error",
  });
  return { file, gzip: gzipSync(await readFile(file), { level: 9 }).length };
};
