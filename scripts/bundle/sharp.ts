/**
 * Provides sharp for Lambda's architecture, whatever this machine has. It is fetched once into a cache, in the
 * version and with the checksums of the lock file.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import * as z from "zod/mini";
import { messageOf, UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { CACHE } from "./cache.ts";

const dependencies = z.optional(z.record(z.string(), z.string()));
/** Packages have a string or an array here. */
const machines = z.optional(z.union([z.string(), z.array(z.string())]));
const Package = z.object({
  version: z.optional(z.string()),
  integrity: z.optional(z.string()),
  dependencies,
  optionalDependencies: dependencies,
  os: machines,
  cpu: machines,
  libc: machines,
});
type Package = z.infer<typeof Package>;
const Lock = z.object({ packages: z.record(z.string(), Package) });

const isForLambda = ({ os = ["linux"], cpu = ["arm64"], libc = ["glibc"] }: Package): boolean =>
  os.includes("linux") && cpu.includes("arm64") && libc.includes("glibc");

/**
 * Returns the packages of the lock file that make up a package on Lambda. Packages for other platforms are left out
 * completely: npm would look up each of them in the registry, which takes minutes. None of the rest is optional, because
 * npm silently skips an optional package that it cannot fetch; so none may name a platform, because npm rejects a package
 * for another one unless it is optional.
 */
const lockedParts = (packages: Record<string, Package>, name: string): Map<string, Package> => {
  const parts = new Map<string, Package>();
  const add = (one: string): void => {
    const place = `node_modules/${one}`;
    const found = packages[place];
    if (found === undefined || parts.has(place)) return;
    const { version, integrity, dependencies, optionalDependencies = {} } = found;
    const wanted = Object.entries(optionalDependencies).filter(([other]) => {
      const part = packages[`node_modules/${other}`];
      return part !== undefined && isForLambda(part);
    });
    const needed = { ...dependencies, ...Object.fromEntries(wanted) };
    parts.set(place, { version, integrity, dependencies: needed });
    for (const other of Object.keys(needed)) add(other);
  };
  add(name);
  return parts;
};

const INSTALL = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

const TIME_LIMIT_MINUTES = 5;

const wasTimedOut = (error: unknown): boolean =>
  error instanceof Error && "killed" in error && error.killed === true;

/**
 * Installs the packages of the folder's lock file. It retries once, because a caching registry may need longer for its
 * first fetch, or reject it.
 */
const install = async (folder: string): Promise<void> => {
  const once = () =>
    promisify(execFile)("npm", INSTALL, { cwd: folder, timeout: TIME_LIMIT_MINUTES * 60_000 });
  await once().catch(once);
};

/** Extracts npm's error messages, without stack traces, into one line. */
const npmErrors = (error: unknown): string => {
  if (wasTimedOut(error)) return `two timeouts of ${TIME_LIMIT_MINUTES} minutes`;
  const text = messageOf(error);
  const errors = text.split("\n").filter((line) => /^npm (error|ERR!) (?!A complete log|\s|\})/.test(line));
  return errors.length === 0 ? text : errors.map((line) => line.replace(/^npm \S+ /, "")).join("; ");
};

const fetchInto = async (place: string, version: string, parts: Map<string, Package>): Promise<void> => {
  await mkdir(dirname(place), { recursive: true });
  const folder = await mkdtemp(join(dirname(place), "fetch-"));
  try {
    const manifest = { name: "machine-code", private: true, dependencies: { sharp: version } };
    const packages = { "": manifest, ...Object.fromEntries(parts) };
    const lock = { name: "machine-code", lockfileVersion: 3, requires: true, packages };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
    await install(folder);
    await rename(join(folder, "node_modules"), place);
  } catch (error) {
    // A concurrent build may have fetched it first.
    if (existsSync(place)) return;
    throw new UserError(
      `The image library sharp ${version} for linux-arm64, which set_pfp needs, is not in ` +
        `${relative(ROOT, place)} and cannot be fetched. Connect to the npm registry and package again. ` +
        `npm reports: ${npmErrors(error)}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * Returns the `node_modules` folder with sharp for Lambda; fetches it if it is not cached.
 * @throws UserError if it is not cached and cannot be fetched
 */
const sharpFolder = async (cache: string): Promise<string> => {
  const { packages } = Lock.parse(JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")));
  const parts = lockedParts(packages, "sharp");
  const version = parts.get("node_modules/sharp")?.version;
  if (version === undefined) throw new Error("package-lock.json does not name sharp");
  const place = join(cache, `sharp-${version}-linux-arm64`);
  if (!existsSync(place)) await fetchInto(place, version, parts);
  return place;
};

/** Files that a running function never reads. */
const UNUSED_FILES = /\.(d\.[cm]?ts|md|map)$/;

/**
 * Returns the files of sharp that are deployed with `set_pfp`, by their path in the function's folder.
 * @param cache the cache folder
 * @throws UserError if they are not cached and cannot be fetched
 */
export const sharpFiles = async (cache = CACHE): Promise<Map<string, Uint8Array>> => {
  const folder = await sharpFolder(cache);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith(".") && !UNUSED_FILES.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, Uint8Array]> => {
        return [join("node_modules", relative(folder, file)), await readFile(file)];
      }),
    ),
  );
};
