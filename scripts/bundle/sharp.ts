/**
 * sharp for Lambda's processor, whatever this machine's is: fetched once into a cache, in the version and with the
 * checksums of the lock file.
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
/** One word or several: packages say it either way. */
const machines = z.optional(z.union([z.string(), z.array(z.string())]));
const Package = z.looseObject({
  version: z.optional(z.string()),
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
 * What a package consists of by the lock file on Lambda's machine: itself, and all that it asks for there. Of other
 * machines' parts not even a word: npm would ask the registry for each of them, which takes minutes.
 */
const lockedParts = (packages: Record<string, Package>, name: string): Map<string, Package> => {
  const parts = new Map<string, Package>();
  const add = (one: string): void => {
    const place = `node_modules/${one}`;
    const found = packages[place];
    if (found === undefined || parts.has(place)) return;
    const { optionalDependencies = {}, ...rest } = found;
    const wanted = Object.entries(optionalDependencies).filter(([other]) => {
      const part = packages[`node_modules/${other}`];
      return part !== undefined && isForLambda(part);
    });
    parts.set(place, { ...rest, optionalDependencies: Object.fromEntries(wanted) });
    for (const other of [...Object.keys(found.dependencies ?? {}), ...wanted.map(([name]) => name)])
      add(other);
  };
  add(name);
  return parts;
};

/** Lambda's machine, in npm's words. */
const LAMBDA = ["--cpu=arm64", "--os=linux", "--libc=glibc"];

// Not `npm ci`: on another processor it takes the lock file to be out of step.
const INSTALL = ["install", ...LAMBDA, "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

const TIME_LIMIT_MINUTES = 5;

const wasTimedOut = (error: unknown): boolean =>
  error instanceof Error && "killed" in error && error.killed === true;

/** Installs what the folder's lock file names. A registry that has to fetch first may need longer than one try takes. */
const install = async (folder: string): Promise<void> => {
  const once = () =>
    promisify(execFile)("npm", INSTALL, { cwd: folder, timeout: TIME_LIMIT_MINUTES * 60_000 });
  await once().catch((error: unknown) => {
    if (!wasTimedOut(error)) throw error;
    return once();
  });
};

/** What npm says was wrong, in a line. */
const saidOf = (error: unknown): string => {
  if (wasTimedOut(error)) return `nothing within ${TIME_LIMIT_MINUTES} minutes, twice`;
  const text = messageOf(error);
  const told = text.split("\n").filter((line) => /^npm (error|ERR!) (?!A complete log)/.test(line));
  return told.length === 0 ? text : told.map((line) => line.replace(/^npm \S+ /, "")).join("; ");
};

const fetchTo = async (place: string, version: string, parts: Map<string, Package>): Promise<void> => {
  await mkdir(dirname(place), { recursive: true });
  const folder = await mkdtemp(join(dirname(place), "fetch-"));
  try {
    const manifest = { name: "machine-code", private: true, dependencies: { sharp: version } };
    const packages = { "": manifest, ...Object.fromEntries(parts) };
    const lock = { name: "machine-code", lockfileVersion: 3, requires: true, packages };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
    await install(folder);
    if (!existsSync(join(folder, "node_modules/@img/sharp-linux-arm64"))) {
      throw new Error("npm has installed it without its part for linux-arm64");
    }
    await rename(join(folder, "node_modules"), place);
  } catch (error) {
    // Another packaging may have been quicker.
    if (existsSync(place)) return;
    throw new UserError(
      `The picture library sharp ${version} for linux-arm64, which set_pfp is deployed with, is not in ` +
        `${relative(ROOT, place)} and cannot be fetched: connect to the npm registry once, and package again. ` +
        `npm says: ${saidOf(error)}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/**
 * The folder `node_modules` with sharp for Lambda's machine; the registry is asked when it is not there yet.
 * @throws UserError when it is neither in the cache nor to be fetched
 */
const sharpFolder = async (cache: string): Promise<string> => {
  const { packages } = Lock.parse(JSON.parse(await readFile(join(ROOT, "package-lock.json"), "utf8")));
  const parts = lockedParts(packages, "sharp");
  const version = parts.get("node_modules/sharp")?.version;
  if (version === undefined) throw new Error("package-lock.json does not name sharp");
  const place = join(cache, `sharp-${version}-linux-arm64`);
  if (!existsSync(place)) await fetchTo(place, version, parts);
  return place;
};

/** What a running function never reads. */
const IDLE = /\.(d\.[cm]?ts|md|map)$/;

/**
 * The files of sharp as `set_pfp` is deployed with them, by their path in the function's folder.
 * @param cache the folder where they are kept once they have been fetched
 * @throws UserError when they are neither there nor to be fetched
 */
export const sharpFiles = async (cache = CACHE): Promise<Map<string, Uint8Array>> => {
  const folder = await sharpFolder(cache);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith(".") && !IDLE.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name));
  return new Map(
    await Promise.all(
      files.map(async (file): Promise<[string, Uint8Array]> => {
        return [join("node_modules", relative(folder, file)), await readFile(file)];
      }),
    ),
  );
};
