/**
 * Bundles as they are deployed, and as the benches measure them: for each handler minified ESM for Lambda's Node.js, one
 * file that is loaded at the start with those that it imports, and beside it what is loaded when it is needed.
 */
import { dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type Plugin } from "esbuild";
import { batchesOf } from "../../lib/domain/batches.ts";
import { ROOT } from "../local/root.ts";

export interface Bundle {
  /** What it was made of, from the root. */
  entry: string;
  /** The file that Lambda loads, among those below. */
  main: string;
  /** Every file, and its source map where that was asked for, by its path in the folder of the function. */
  files: ReadonlyMap<string, Uint8Array>;
  /** Paths of the code that is loaded at the start. */
  atStart: ReadonlySet<string>;
  /** Packages that it asks for and does not contain: they are deployed beside it. */
  packages: readonly string[];
}

/** Bytes of a bundle. */
export interface Size {
  /** What is loaded at the start, as it is and compressed. */
  minified: number;
  gzip: number;
  /** All of the code compressed, what is loaded later and what never is included. */
  whole: number;
}

/** For code that asks for Node.js's modules by `require`, which ESM has not. */
const REQUIRE = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

/** Machine code: it is deployed beside the bundle, and loaded with the first picture. */
const MACHINE_CODE = ["sharp"];

const CODE = ".mjs";
/** So many are bundled at once. */
const AT_ONCE = 8;

/** What has been read lies nowhere, but as if here: names in a bundle are the same wherever and whenever it is made. */
const READ = join(ROOT, ".cache/read");

const fromMemory = (files: ReadonlyMap<string, Uint8Array>): Plugin => ({
  name: "from-memory",
  setup(build) {
    build.onResolve({ filter: /^\.|^\// }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path),
    }));
    build.onLoad({ filter: /\.mjs$/ }, ({ path }) => {
      const contents = files.get(path);
      return contents === undefined ? null : { contents, loader: "js" };
    });
  },
});

const COMMON = {
  absWorkingDir: ROOT,
  outExtension: { ".js": CODE },
  bundle: true,
  splitting: true,
  legalComments: "none",
  // The lines are in the repository; where to look is what a stack has to say.
  sourcesContent: false,
  format: "esm",
  platform: "node",
  target: "node24",
  mainFields: ["module", "main"],
  external: MACHINE_CODE,
  logLevel: "error",
} as const satisfies BuildOptions;

const mainOf = (entry: string): string => entry.replace(/\.ts$/, CODE);

/**
 * Without the line above for what asks for nothing by it, which is most of a bundle's files. The line stays, empty: the
 * source map counts it.
 */
const withoutRequire = (path: string, contents: Uint8Array): Uint8Array => {
  const code = Buffer.from(contents);
  if (!path.endsWith(CODE) || !code.toString().startsWith(REQUIRE)) return contents;
  const rest = code.subarray(REQUIRE.length);
  return /\brequire\b/.test(rest.toString()) ? contents : rest;
};

/** One function's bundle, of what all have been read into. */
const bundleOf = async (
  entry: string,
  read: ReadonlyMap<string, Uint8Array>,
  sourcemap: boolean,
): Promise<Bundle> => {
  const main = mainOf(entry);
  const { outputFiles, metafile } = await build({
    ...COMMON,
    sourcemap,
    entryPoints: [join(READ, main)],
    outbase: READ,
    plugins: [fromMemory(read)],
    // As if the function's folder were the repository: a stack then names lib/store/store.ts, wherever it was built.
    outdir: ROOT,
    chunkNames: "chunks/[name]-[hash]",
    minify: true,
    banner: { js: REQUIRE },
    write: false,
    metafile: true,
  });
  const atStart = new Set<string>();
  const load = (path: string): void => {
    const output = metafile.outputs[path];
    if (output === undefined || atStart.has(path)) return;
    atStart.add(path);
    for (const { kind, path: other } of output.imports) if (kind === "import-statement") load(other);
  };
  load(main);
  if (atStart.size === 0) throw new Error(`no bundle was made of ${entry}`);
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    entry,
    main,
    files: new Map(
      outputFiles.map(({ path, contents }) => [relative(ROOT, path), withoutRequire(path, contents)]),
    ),
    atStart,
    packages: MACHINE_CODE.filter((name) => imports.some(({ external, path }) => external && path === name)),
  };
};

/**
 * Bundles files of the repository, in memory, in their order. All are read and shaken together, and each is then bundled
 * from what that came to: the modules of the SDK, which are most of the work, are read once and not for each function.
 * @param entries their paths from the root
 * @param options.sourceMaps half of the time is theirs: without, where bundles are only measured
 * @throws Error of esbuild, which names what cannot be resolved
 */
export const makeBundles = async (
  entries: readonly string[],
  options: { sourceMaps?: boolean } = {},
): Promise<Bundle[]> => {
  const { sourceMaps = true } = options;
  const { outputFiles } = await build({
    ...COMMON,
    entryPoints: [...entries],
    outbase: ROOT,
    outdir: READ,
    write: false,
    sourcemap: sourceMaps ? "inline" : false,
  });
  const read = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  const bundles: Bundle[] = [];
  for (const some of batchesOf(entries, AT_ONCE)) {
    bundles.push(...(await Promise.all(some.map((entry) => bundleOf(entry, read, sourceMaps)))));
  }
  return bundles;
};

/** How large a bundle is; source maps do not count, for they are read when something has gone wrong. */
export const sizeOf = ({ files, atStart }: Bundle): Size => {
  const code = [...files].filter(([path]) => path.endsWith(CODE));
  const gzipped = code.map(([path, contents]) => ({
    isFirst: atStart.has(path),
    minified: contents.length,
    gzip: gzipSync(contents, { level: 9 }).length,
  }));
  const first = gzipped.filter(({ isFirst }) => isFirst);
  const total = (parts: readonly { gzip: number; minified: number }[], what: "gzip" | "minified") =>
    parts.reduce((sum, part) => sum + part[what], 0);
  return { minified: total(first, "minified"), gzip: total(first, "gzip"), whole: total(gzipped, "gzip") };
};
