/** Bundles as our deployment makes them, and as anyone would; laid down in a folder to be run and weighed. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { makeBundles, type Size, sizeOf } from "../../scripts/bundle/bundle.ts";
import { ROOT } from "../../scripts/project/root.ts";

export interface Bundle extends Size {
  /** What it was made of, from the root. */
  entry: string;
  file: string;
}

/** Bundles one file of the repository into a folder. */
export const bundle = async (entry: string, folder: string): Promise<Bundle> => {
  const [made] = await makeBundles([entry], { sourceMaps: false });
  if (made === undefined) throw new Error(`no bundle was made of ${entry}`);
  for (const [path, contents] of made.files) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, contents);
  }
  return { entry, file: join(folder, made.main), ...sizeOf(made) };
};

/**
 * Bundles one file of the repository into one file, as esbuild does for Node.js unless told otherwise: CommonJS, which is
 * its quickest to load. Two options are set that AWS recommends for Lambda: it is minified, and packages give their
 * modules, of which less is left.
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
  const code = await readFile(file);
  const gzip = gzipSync(code, { level: 9 }).length;
  return { entry, file, minified: code.length, gzip, whole: gzip };
};
