/**
 * Bundles as they are deployed, and as the benches measure them: for each handler minified ESM for Lambda's Node.js, one
 * file that is loaded at the start with those that it imports, and beside it what is loaded when it is needed.
 */
import { dirname, join, relative, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type OnLoadResult, type Plugin } from "esbuild";
import { chunk } from "../../lib/runtime/chunk.ts";
import { ROOT } from "../project/root.ts";

export interface Bundle {
  /** What it was made of, from the root. */
  entry: string;
  /** The file that Lambda loads, among those below: all of the code that is loaded at the start. */
  main: string;
  /** Every file, and its source map where that was asked for, by its path in the folder of the function. */
  files: ReadonlyMap<string, Uint8Array>;
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

/**
 * Ways to find credentials elsewhere than in the environment, where Lambda puts them: the SDK imports one when there are
 * none, which in a function is a fault whatever it then says. With them the start had a tenth of code more, for they
 * share parts with it.
 */
const ELSEWHERE = [
  "@aws-sdk/credential-provider-http",
  "@aws-sdk/credential-provider-ini",
  "@aws-sdk/credential-provider-process",
  "@aws-sdk/credential-provider-sso",
  "@aws-sdk/credential-provider-web-identity",
  "@smithy/credential-provider-imds",
];

const CODE = ".mjs";
/** So many are bundled at once. */
const AT_ONCE = 8;

/** What has been read lies nowhere, but as if here: names in a bundle are the same wherever and whenever it is made. */
const READ = join(ROOT, ".cache/read");

/** Where what is loaded later lies, and what is shared until the start is one file. */
const LATER = join(READ, "chunks");

/** Outputs of esbuild by their path; they stand in {@link READ}. */
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

/** What a bundle consists of before its start is one file. */
interface Split {
  files: Files;
  main: string;
  /** Those that are loaded at the start, the main file among them. */
  atStart: ReadonlySet<string>;
  /** The names that a file loaded at the start gives to those that are loaded later. */
  namesOf: (path: string) => readonly string[];
}

/** An import as esbuild writes it: what it takes, and where from. */
const IMPORT = /^import \{([^}]*)\} from "(\.[^"]+)";$/gm;

/** What files import from others, by name, and where from. */
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

/** Where a file of the bundle is loaded from, as another says it. */
const specifier = (from: string, to: string): string => {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
};

/**
 * Makes one file of all that are loaded at the start: each file costs a cold function half a millisecond. The others
 * stay files of their own, and import from that one what they imported from its parts: whatever is loaded later is
 * loaded by it, and so finds it loaded. (So the start may not wait for anything at its top.)
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

    // Source maps show the paths of "start" and "part" as they are given here: from the root, so that they name no
    // folder of this machine.
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
        // A part is made once for all who import it, as they are: from one folder, and by name.
        if (kind !== "import-statement" || dirname(importer) !== LATER) {
          return { errors: [{ text: `${importer} cannot import ${target}` }] };
        }
        // It is loaded already: an import that takes nothing from it is left out.
        return { path: relative(ROOT, target), namespace: "part", sideEffects: false };
      }
      return { path: specifier(isStart ? main : importer, target), external: true };
    });
    build.onLoad({ filter: /\.mjs$/, namespace: "start" }, () => ({
      contents: [
        `export*from${JSON.stringify(main)};`,
        ...parts.map((part) => given(part, part, "out")),
      ].join(""),
      loader: "js",
    }));
    build.onLoad({ filter: /\.mjs$/, namespace: "part" }, ({ path }) => ({
      contents: given(resolve(ROOT, path), relative(LATER, main), "in"),
      loader: "js",
    }));
    build.onLoad({ filter: /\.mjs$/ }, loadFrom(files));
  },
});

const COMMON = {
  absWorkingDir: ROOT,
  outExtension: { ".js": CODE },
  bundle: true,
  legalComments: "none",
  // The lines are in the repository; where to look is what a stack has to say.
  sourcesContent: false,
  format: "esm",
  platform: "node",
  target: "node24",
  mainFields: ["module", "main"],
  external: [...MACHINE_CODE, ...ELSEWHERE],
  logLevel: "error",
  write: false,
} as const satisfies BuildOptions;

/** What has been read is cut where something is loaded later. */
const CUT = { ...COMMON, splitting: true, outdir: READ } as const satisfies BuildOptions;

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

/** What one function loads at its start and what later, of what all have been read into. */
const splitOf = async (entry: string, read: Files, sourceMaps: boolean): Promise<Split> => {
  const main = join(READ, mainOf(entry));
  const { outputFiles, metafile } = await build({
    ...CUT,
    sourcemap: sourceMaps ? "inline" : false,
    entryPoints: [main],
    outbase: READ,
    plugins: [fromMemory(read)],
    chunkNames: `${relative(READ, LATER)}/[name]-[hash]`,
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
    // What is imported by name is exported by name; anything else that looks like an import is none.
    namesOf: (path) => outputs.get(path)?.exports.filter((name) => wanted.get(path)?.has(name)) ?? [],
  };
};

/** One function's bundle, of what all have been read into. */
const bundleOf = async (entry: string, read: Files, sourcemap: boolean): Promise<Bundle> => {
  const split = await splitOf(entry, read, sourcemap);
  const { outputFiles, metafile } = await build({
    ...COMMON,
    sourcemap,
    entryPoints: [...split.files.keys()].filter((path) => path === split.main || !split.atStart.has(path)),
    outbase: READ,
    plugins: [startAsOne(split)],
    // As if the function's folder were the repository: a stack then names lib/store/store.ts, wherever it was built.
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
    ...CUT,
    entryPoints: [...entries],
    outbase: ROOT,
    sourcemap: sourceMaps ? "inline" : false,
  });
  const read = new Map(outputFiles.map(({ path, contents }) => [path, contents]));
  const bundles: Bundle[] = [];
  for (const some of chunk(entries, AT_ONCE)) {
    bundles.push(...(await Promise.all(some.map((entry) => bundleOf(entry, read, sourceMaps)))));
  }
  return bundles;
};

/** How large a bundle is; source maps do not count, for they are read when something has gone wrong. */
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
