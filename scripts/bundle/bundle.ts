/**
 * Bundles the handlers as they are deployed and benchmarked: minified ESM for Lambda's Node.js. Each bundle has one
 * file with all code that is loaded at start-up, and separate files for code that is imported later.
 */
import { dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type OnLoadResult, type Plugin } from "esbuild";
import { chunk } from "../../lib/runtime/chunk.ts";
import { ROOT } from "../project/root.ts";
import { UNUSED_PROVIDERS, withoutUnusedParts } from "./sdkParts.ts";

export interface Bundle {
  /** The source file, relative to the repository. */
  entry: string;
  /** The path of the file that Lambda loads; it contains all code that is loaded at start-up. */
  main: string;
  /** All files, with source maps if requested, by their path in the function's folder. */
  files: ReadonlyMap<string, Uint8Array>;
  /** Packages that are imported but not bundled. They are deployed next to the bundle. */
  packages: readonly string[];
}

/** The size of a bundle in bytes. */
export interface Size {
  /** The code that is loaded at start-up, minified and compressed. */
  minified: number;
  gzip: number;
  /** All code compressed, including code that is loaded later. */
  whole: number;
}

/** Defines `require`, which ESM does not have, for packages that use it. */
const REQUIRE = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

/** Packages with native code: deployed next to the bundle and loaded with the first picture. */
const NATIVE_PACKAGES = ["sharp"];

// For esbuild, which is a program in Go: it collects garbage less often, and takes a sixth less of the processor.
process.env.GOGC ??= "400";

const CODE = ".mjs";
/** How many functions are bundled concurrently; with more, esbuild needs more than a gigabyte. */
const CONCURRENCY = 4;

/** A folder that exists only as a path prefix, so that names in a bundle do not depend on where it is built. */
const BUILD_PREFIX = join(ROOT, ".cache/read");

/** The folder of code that is loaded later, and of shared code until start-up code is merged. */
const CHUNKS = join(BUILD_PREFIX, "chunks");

/** Outputs of esbuild by path, below {@link BUILD_PREFIX}. */
type Files = ReadonlyMap<string, Uint8Array>;

const loadFrom =
  (files: Files) =>
  ({ path }: { path: string }): OnLoadResult | null => {
    const contents = files.get(path);
    return contents === undefined ? null : { contents, loader: "js" };
  };

const fromMemory = (files: Files): Plugin => ({
  name: "from-memory",
  setup(build) {
    build.onResolve({ filter: /^\.|^\// }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path),
    }));
    build.onLoad({ filter: /\.mjs$/ }, loadFrom(files));
  },
});

/** A split bundle before its start-up code is merged into one file. */
interface Split {
  files: Files;
  main: string;
  /** The files that are loaded at start-up, including the main file. */
  atStart: ReadonlySet<string>;
  /** The names that a start-up file exports to files that are loaded later. */
  namesOf: (path: string) => readonly string[];
}

/** An import as esbuild writes it: the imported names and the specifier. */
const IMPORT = /^import \{([^}]*)\} from "(\.[^"]+)";$/gm;

/** Returns the imported names by the path of the imported file. */
const importsOf = (files: Files, importers: Iterable<string>): Map<string, Set<string>> => {
  const names = new Map<string, Set<string>>();
  for (const importer of importers) {
    const code = Buffer.from(files.get(importer) ?? []).toString();
    for (const [, list = "", from = ""] of code.matchAll(IMPORT)) {
      const path = resolve(dirname(importer), from);
      const taken = list.split(",").map((one) => one.trim().split(" as ", 1)[0] ?? "");
      names.set(path, (names.get(path) ?? new Set()).union(new Set(taken)));
    }
  }
  return names;
};

/** The import specifier of one bundled file in another. */
const specifier = (from: string, to: string): string => {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
};

/**
 * Merges all files that are loaded at start-up into one, because each file costs a cold start half a millisecond.
 * Files that are loaded later import from the merged file what they imported from its parts. It is already loaded at
 * that time, so start-up code must not use top-level await.
 */
const startAsOne = ({ files, main, atStart, namesOf }: Split): Plugin => ({
  name: "start-as-one",
  setup(build) {
    const parts = [...atStart].filter((path) => path !== main);
    const outer = (path: string, name: string): string => `part${parts.indexOf(path)}_${name}`;
    const given = (path: string, from: string, way: "in" | "out"): string => {
      const names = namesOf(path).map((name) =>
        way === "in" ? `${outer(path, name)} as ${name}` : `${name} as ${outer(path, name)}`,
      );
      return `export{${names.join(",")}}from${JSON.stringify(from)};`;
    };

    // Source maps contain these paths, so they are relative to the repository.
    build.onResolve({ filter: /^\.|^\// }, ({ path, importer, kind, namespace }) => {
      if (kind === "entry-point") {
        return path === main ? { path: relative(ROOT, path), namespace: "start" } : { path };
      }
      if (namespace === "start") return { path };
      if (namespace === "part") return { path, external: true };
      const target = resolve(dirname(importer), path);
      const isStart = atStart.has(importer);
      if (isStart && atStart.has(target) && kind === "import-statement") return { path: target };
      if (!isStart && atStart.has(target)) {
        // Each part is resolved once for all importers, so they must import it by name and from one folder.
        if (kind !== "import-statement" || dirname(importer) !== CHUNKS) {
          return { errors: [{ text: `${importer} cannot import ${target}` }] };
        }
        // The merged file is already loaded, so an import without names can be dropped.
        return { path: relative(ROOT, target), namespace: "part", sideEffects: false };
      }
      return { path: specifier(isStart ? main : importer, target), external: true };
    });
    build.onLoad({ filter: /\.mjs$/, namespace: "start" }, () => ({
      contents: [
        // Documentation that a file exports beside its handler is not deployed.
        `export{handler}from${JSON.stringify(main)};`,
        ...parts.map((part) => given(part, part, "out")),
      ].join(""),
      loader: "js",
    }));
    build.onLoad({ filter: /\.mjs$/, namespace: "part" }, ({ path }) => ({
      contents: given(resolve(ROOT, path), relative(CHUNKS, main), "in"),
      loader: "js",
    }));
    build.onLoad({ filter: /\.mjs$/ }, loadFrom(files));
  },
});

const COMMON_OPTIONS = {
  absWorkingDir: ROOT,
  outExtension: { ".js": CODE },
  bundle: true,
  legalComments: "none",
  // Stack traces need the locations only; the sources are in the repository.
  sourcesContent: false,
  format: "esm",
  platform: "node",
  target: "node24",
  mainFields: ["module", "main"],
  external: [...NATIVE_PACKAGES, ...UNUSED_PROVIDERS],
  logLevel: "error",
  write: false,
} as const satisfies BuildOptions;

/** Splits the code at dynamic imports. */
const SPLIT_OPTIONS = {
  ...COMMON_OPTIONS,
  splitting: true,
  outdir: BUILD_PREFIX,
} as const satisfies BuildOptions;

const mainOf = (entry: string): string => entry.replace(/\.ts$/, CODE);

/**
 * Removes the `require` definition from files that do not use it, which are most. Its line stays, empty, because the
 * source map counts it.
 */
const withoutRequire = (path: string, contents: Uint8Array): Uint8Array => {
  const code = Buffer.from(contents);
  if (!path.endsWith(CODE) || !code.toString().startsWith(REQUIRE)) return contents;
  const rest = code.subarray(REQUIRE.length);
  // In texts, another word follows it.
  return /\brequire\b(?! \w)/.test(rest.toString()) ? contents : rest;
};

/** Splits one function's code into what is loaded at start-up and what is loaded later. */
const splitOf = async (entry: string, read: Files, sourceMaps: boolean): Promise<Split> => {
  const main = join(BUILD_PREFIX, mainOf(entry));
  const { outputFiles, metafile } = await build({
    ...SPLIT_OPTIONS,
    sourcemap: sourceMaps ? "inline" : false,
    entryPoints: [main],
    outbase: BUILD_PREFIX,
    plugins: [fromMemory(read)],
    chunkNames: `${relative(BUILD_PREFIX, CHUNKS)}/[name]-[hash]`,
    metafile: true,
  });
  const outputs = new Map(
    Object.entries(metafile.outputs).map(([path, output]) => [resolve(ROOT, path), output]),
  );
  const atStart = new Set<string>();
  const load = (path: string): void => {
    const output = outputs.get(path);
    if (output === undefined || atStart.has(path)) return;
    atStart.add(path);
    for (const { kind, path: other } of output.imports) {
      if (kind === "import-statement") load(resolve(ROOT, other));
    }
  };
  load(main);
  if (atStart.size === 0) throw new Error(`no bundle was made of ${entry}`);
  const files = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  const wanted = importsOf(
    files,
    [...files.keys()].filter((path) => !atStart.has(path)),
  );
  return {
    files,
    main,
    atStart,
    // Only names that are imported need to be exported.
    namesOf: (path) => outputs.get(path)?.exports.filter((name) => wanted.get(path)?.has(name)) ?? [],
  };
};

/** Bundles one function from the common build. */
const bundleOf = async (entry: string, read: Files, sourcemap: boolean): Promise<Bundle> => {
  const split = await splitOf(entry, read, sourcemap);
  const { outputFiles, metafile } = await build({
    ...COMMON_OPTIONS,
    sourcemap,
    entryPoints: [...split.files.keys()].filter((path) => path === split.main || !split.atStart.has(path)),
    outbase: BUILD_PREFIX,
    plugins: [startAsOne(split)],
    // Paths in stack traces are relative to the repository, wherever the bundle was built.
    outdir: ROOT,
    minify: true,
    banner: { js: REQUIRE },
    metafile: true,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return {
    entry,
    main: mainOf(entry),
    files: new Map(
      outputFiles.map(({ path, contents }) => [relative(ROOT, path), withoutRequire(path, contents)]),
    ),
    packages: NATIVE_PACKAGES.filter((name) =>
      imports.some(({ external, path }) => external && path === name),
    ),
  };
};

/**
 * Bundles source files in memory and returns the bundles in the same order. One common build parses and tree-shakes
 * all modules; each bundle is made from its output, so that the modules of the SDK are parsed only once.
 * @param entries paths relative to the repository
 * @param options.sourceMaps false saves half of the time when only sizes are needed
 * @throws Error of esbuild if an import cannot be resolved
 */
export const makeBundles = async (
  entries: readonly string[],
  options: { sourceMaps?: boolean } = {},
): Promise<Bundle[]> => {
  const { sourceMaps = true } = options;
  const { outputFiles } = await build({
    ...SPLIT_OPTIONS,
    entryPoints: [...entries],
    outbase: ROOT,
    sourcemap: sourceMaps ? "inline" : false,
    plugins: [withoutUnusedParts],
  });
  const read = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  const bundles: Bundle[] = [];
  for (const some of chunk(entries, CONCURRENCY)) {
    bundles.push(...(await Promise.all(some.map((entry) => bundleOf(entry, read, sourceMaps)))));
  }
  return bundles;
};

/** Returns the size of a bundle without source maps, which are read only for stack traces. */
export const sizeOf = ({ files, main }: Bundle): Size => {
  const code = [...files].filter(([path]) => path.endsWith(CODE));
  const gzipped = code.map(([path, contents]) => ({
    isFirst: path === main,
    minified: contents.length,
    gzip: gzipSync(contents, { level: 9 }).length,
  }));
  const first = gzipped.filter(({ isFirst }) => isFirst);
  const total = (parts: readonly { gzip: number; minified: number }[], what: "gzip" | "minified") =>
    parts.reduce((sum, part) => sum + part[what], 0);
  return { minified: total(first, "minified"), gzip: total(first, "gzip"), whole: total(gzipped, "gzip") };
};
