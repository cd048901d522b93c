/**
 * Bundles as a deployment makes them: for each handler a folder of minified ESM for Lambda's Node.js, one file that is
 * loaded at the start with those that it imports, and beside it what is loaded when it is needed.
 */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { ROOT } from "../../scripts/local/root.ts";

export interface Bundle {
  /** What it was made of, from the root. */
  entry: string;
  file: string;
  /** Bytes that are loaded at the start, as they are and compressed. */
  minified: number;
  gzip: number;
  /** Bytes compressed of all that is deployed, what is loaded later and what never is included. */
  whole: number;
}

/** For code that asks for Node.js's modules by `require`, which ESM has not. */
const REQUIRE = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

/** Bundles one file of the repository into a folder. */
export const bundle = async (entry: string, folder: string): Promise<Bundle> => {
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    outdir: folder,
    outbase: ROOT,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    minify: true,
    legalComments: "none",
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node24",
    mainFields: ["module", "main"],
    banner: { js: REQUIRE },
    // Machine code: it is deployed beside the bundle, and loaded with the first picture.
    external: ["sharp"],
    logLevel: "error",
  });
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([file, output]) => [resolve(ROOT, file), output]),
  );
  const sizes = new Map<string, { minified: number; gzip: number }>();
  for (const { path, contents } of outputFiles) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
    sizes.set(path, { minified: contents.length, gzip: gzipSync(contents, { level: 9 }).length });
  }
  const file = join(folder, entry.replace(/\.ts$/, ".mjs"));
  const atStart = new Set<string>();
  const load = (path: string): void => {
    const output = outputs.get(path);
    if (output === undefined || atStart.has(path)) return;
    atStart.add(path);
    for (const { kind, path: other } of output.imports) {
      if (kind === "import-statement") load(resolve(ROOT, other));
    }
  };
  load(file);
  if (atStart.size === 0) throw new Error(`no bundle was made of ${entry}`);
  const total = (paths: Iterable<string>, what: "minified" | "gzip"): number =>
    [...paths].reduce((sum, path) => sum + (sizes.get(path)?.[what] ?? 0), 0);
  return {
    entry,
    file,
    minified: total(atStart, "minified"),
    gzip: total(atStart, "gzip"),
    whole: total(sizes.keys(), "gzip"),
  };
};
