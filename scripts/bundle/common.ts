/** The common build, which parses all functions once, and which of its files each function loads. */
import { dirname, join, relative, resolve } from "node:path";
import { type BuildOptions, build, type ImportKind, type Plugin } from "esbuild";
import { ROOT } from "../project/root.ts";
import { pureSchemas } from "./pureSchemas.ts";
import { UNUSED_PROVIDERS, withoutUnusedParts } from "./sdkParts.ts";

/** Packages with native code: deployed next to the bundle and loaded with the first picture. */
export const NATIVE_PACKAGES = ["sharp"];

/** The ending of bundled code. */
export const CODE = ".mjs";

/** A folder that exists only as a path prefix, so that names in a bundle do not depend on where it is built. */
export const BUILD_PREFIX = join(ROOT, ".cache/read");

/** The options of all builds. */
export const BUILD_OPTIONS = {
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
  metafile: true,
} as const satisfies BuildOptions;

/** The path of a function's main file, in its folder. */
export const mainOf = (entry: string): string => entry.replace(/\.ts$/, CODE);

/** The files of the common build, which functions share. */
export interface Common {
  /** The code of each file by its path, below {@link BUILD_PREFIX}. */
  files: ReadonlyMap<string, Uint8Array>;
  /** The paths of these files; a file's number is its place among them. */
  paths: readonly string[];
  /** The files that a file imports at once, or later by `import()`. */
  importsOf: (path: string, kind: ImportKind) => string[];
}

/** Builds all functions together, split where they share code and where code is loaded later. */
export const readCommon = async (entries: readonly string[], sourceMaps: boolean): Promise<Common> => {
  const { outputFiles, metafile } = await build({
    ...BUILD_OPTIONS,
    entryPoints: [...entries],
    outbase: ROOT,
    outdir: BUILD_PREFIX,
    splitting: true,
    sourcemap: sourceMaps ? "inline" : false,
    plugins: [withoutUnusedParts, pureSchemas()],
  });
  return {
    files: new Map(outputFiles.map(({ path, contents }) => [path, contents])),
    paths: outputFiles.map(({ path }) => path),
    importsOf: (path, kind) =>
      (metafile.outputs[relative(ROOT, path)]?.imports ?? []).flatMap((one) =>
        one.kind === kind && one.external !== true ? [resolve(ROOT, one.path)] : [],
      ),
  };
};

/** Loads files from memory. */
export const fromMemory = (load: (path: string) => string | Uint8Array | undefined): Plugin => ({
  name: "from-memory",
  setup(build) {
    build.onResolve({ filter: /^\.|^\// }, ({ path, importer }) => ({
      path: resolve(dirname(importer), path),
    }));
    build.onLoad({ filter: /\.mjs$/ }, ({ path }) => {
      const contents = load(path);
      return contents === undefined ? null : { contents, loader: "js" };
    });
  },
});

/** The files of the common build that a function loads, by their paths. */
export interface Parts {
  entry: string;
  /** The file with the handler. */
  main: string;
  /** Those that are loaded at start-up, including the main file. */
  atStart: ReadonlySet<string>;
  /** Those that `import()` loads later. */
  later: ReadonlySet<string>;
}

/** @throws Error if the function imports a file both at the start and later, or does not exist */
export const partsOf = (entry: string, { files, importsOf }: Common): Parts => {
  const main = join(BUILD_PREFIX, mainOf(entry));
  if (!files.has(main)) throw new Error(`no bundle was made of ${entry}`);
  // A loop over a set includes what is added meanwhile.
  const atStart = new Set([main]);
  for (const path of atStart) {
    for (const other of importsOf(path, "import-statement")) atStart.add(other);
  }
  const later = new Set<string>();
  const loaded = new Set(atStart);
  for (const path of loaded) {
    for (const other of importsOf(path, "import-statement")) loaded.add(other);
    for (const other of importsOf(path, "dynamic-import")) {
      if (atStart.has(other)) throw new Error(`${entry} loads ${other} at the start and later`);
      loaded.add(other);
      later.add(other);
    }
  }
  return { entry, main, atStart, later };
};
