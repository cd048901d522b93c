/**
 * Bundles the handlers as they are deployed and benchmarked: minified ESM for Lambda's Node.js. Each bundle has one
 * file with all code that is loaded at start-up, and separate files for code that is imported later.
 */
import { basename, dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type Metafile, type OutputFile, type Plugin } from "esbuild";
import { chunk } from "../../lib/runtime/chunk.ts";
import { ROOT } from "../project/root.ts";
import {
  BUILD_OPTIONS,
  BUILD_PREFIX,
  CODE,
  type Common,
  fromMemory,
  mainOf,
  NATIVE_PACKAGES,
  type Parts,
  partsOf,
  readCommon,
} from "./common.ts";

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

// For esbuild, which is a program in Go: it collects garbage less often, and takes a sixth less of the processor.
process.env.GOGC ??= "400";

/** How many functions are bundled at a time; more need more memory and save nothing. */
const BATCH = 16;

/** The folder of code that is loaded later, in a function's folder. */
const CHUNKS = "chunks";

/** The options of what is deployed. */
const DEPLOYED = { ...BUILD_OPTIONS, minify: true, banner: { js: REQUIRE } } as const satisfies BuildOptions;

/** What a build has written, and what it imports. */
interface Built {
  outputFiles: readonly OutputFile[];
  imports: Metafile["outputs"][string]["imports"];
}

/** An import of another file as esbuild writes it: the imported names and the specifier. */
const IMPORT = /^import (?:\{([^}]*)\} from )?"(\.[^"]+)";$/gm;

/** A name in such an import, and its name in this file. */
const NAME = /([\w$]+)( as [\w$]+)?(?=[,\s]|$)/g;

/** The names of what start-up code exports to code that is loaded later: `part1_x` is `x` of the common build's second file. */
const EXPORTED = /\bpart\d+_[\w$]+/g;

/** Makes code that is loaded later import from the main file what is loaded at start-up. */
const fromMain = ({ main, atStart }: Parts, { files, paths }: Common): Plugin => {
  const specifier = `../${relative(BUILD_PREFIX, main)}`;
  const load = (path: string): string =>
    Buffer.from(files.get(path) ?? [])
      .toString()
      .replaceAll(IMPORT, (whole, names: string | undefined, from: string) => {
        const target = resolve(dirname(path), from);
        if (!atStart.has(target)) return whole;
        // It is already loaded, so it need not be imported without names.
        if (names === undefined) return "";
        const part = `part${paths.indexOf(target)}`;
        const renamed = names.replaceAll(
          NAME,
          (_, name: string, as = ` as ${name}`) => `${part}_${name}${as}`,
        );
        return `import {${renamed}} from "${specifier}";`;
      });
  return {
    name: "from-main",
    setup(build) {
      build.onResolve({ filter: /^\.|^\// }, ({ path, importer }) => {
        if (path === specifier) return { path, external: true };
        const isLoaded = atStart.has(resolve(dirname(importer), path));
        return isLoaded ? { errors: [{ text: `${importer} cannot import ${path}` }] } : null;
      });
      return fromMemory(load).setup(build);
    },
  };
};

/** Bundles what a function loads later. */
const buildLater = async (parts: Parts, common: Common, sourcemap: boolean): Promise<Built> => {
  if (parts.later.size === 0) return { outputFiles: [], imports: [] };
  const { outputFiles, metafile } = await build({
    ...DEPLOYED,
    entryPoints: [...parts.later],
    // Paths in stack traces are relative to the repository, wherever the bundle was built.
    outdir: join(ROOT, CHUNKS),
    splitting: true,
    sourcemap,
    plugins: [fromMain(parts, common)],
  });
  return { outputFiles, imports: Object.values(metafile.outputs).flatMap(({ imports }) => imports) };
};

/** A function whose later code is built. */
interface Half {
  parts: Parts;
  later: Built;
}

const textOf = ({ path, contents }: OutputFile): string =>
  path.endsWith(CODE) ? Buffer.from(contents).toString() : "";

/**
 * Bundles what functions load at start-up into one file each, because each file costs a cold start half a millisecond. One
 * build parses the code for all of them. The main file is already loaded when later code imports from it, so start-up code
 * must not use top-level await.
 */
const buildStarts = async (functions: readonly Half[], { files, paths }: Common, sourcemap: boolean) => {
  const mains = new Map(
    functions.map(({ parts: { main }, later }) => {
      const names = new Set(
        later.outputFiles.flatMap((file) => [...textOf(file).matchAll(EXPORTED)].map(String)),
      );
      const lines = [...names].map((exported) => {
        const [part = "", ...rest] = exported.slice("part".length).split("_");
        return `export{${rest.join("_")} as ${exported}}from${JSON.stringify(paths[Number(part)])};`;
      });
      // Documentation that a file exports beside its handler is not deployed.
      return [relative(ROOT, main), `export{handler}from${JSON.stringify(main)};${lines.join("")}`];
    }),
  );
  const roots = new Set(functions.map(({ parts: { main } }) => relative(dirname(main), BUILD_PREFIX)));
  if (roots.size !== 1) throw new Error("all functions must be in folders of the same depth");
  const [root] = roots;
  const startAsOne: Plugin = {
    name: "start-as-one",
    setup(build) {
      build.onResolve({ filter: /^\.|^\// }, ({ path, kind }) => {
        // Source maps contain these paths, so they are relative to the repository.
        if (kind === "entry-point") return { path: relative(ROOT, path), namespace: "main" };
        return kind === "dynamic-import"
          ? { path: `${root}/${CHUNKS}/${basename(path)}`, external: true }
          : null;
      });
      build.onLoad({ filter: /\.mjs$/, namespace: "main" }, ({ path }) => ({
        contents: mains.get(path) ?? "",
      }));
      return fromMemory((path) => files.get(path)).setup(build);
    },
  };
  return build({
    ...DEPLOYED,
    entryPoints: functions.map(({ parts }) => parts.main),
    outbase: BUILD_PREFIX,
    outdir: ROOT,
    sourcemap,
    plugins: [startAsOne],
  });
};

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

/** Bundles some functions from the common build. */
const bundleSome = async (functions: readonly Half[], common: Common, sourceMaps: boolean) => {
  const { outputFiles, metafile } = await buildStarts(functions, common, sourceMaps);
  return functions.map(({ parts: { entry }, later }): Bundle => {
    const main = mainOf(entry);
    const start = outputFiles.filter(({ path }) => [main, `${main}.map`].includes(relative(ROOT, path)));
    const imports = [...later.imports, ...(metafile.outputs[main]?.imports ?? [])];
    return {
      entry,
      main,
      files: new Map(
        [...start, ...later.outputFiles].map(({ path, contents }) => [
          relative(ROOT, path),
          withoutRequire(path, contents),
        ]),
      ),
      packages: NATIVE_PACKAGES.filter((name) =>
        imports.some(({ external, path }) => external === true && path === name),
      ),
    };
  });
};

/**
 * Bundles source files in memory and returns the bundles in the same order. One common build parses and tree-shakes
 * all modules; the bundles are made from its output, so that the modules of the SDK are parsed only once.
 * @param entries paths relative to the repository
 * @param options.sourceMaps false saves time when only sizes are needed
 * @throws Error of esbuild if an import cannot be resolved
 */
export const makeBundles = async (
  entries: readonly string[],
  options: { sourceMaps?: boolean } = {},
): Promise<Bundle[]> => {
  const { sourceMaps = true } = options;
  const common = await readCommon(entries, sourceMaps);
  const bundles: Bundle[] = [];
  for (const some of chunk(entries, BATCH)) {
    const functions = some.map(async (entry) => {
      const parts = partsOf(entry, common);
      return { parts, later: await buildLater(parts, common, sourceMaps) };
    });
    bundles.push(...(await bundleSome(await Promise.all(functions), common, sourceMaps)));
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
