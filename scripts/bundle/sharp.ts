/**
 * Provides sharp for Lambda's architecture, whatever this machine has. It is fetched once into a cache, in the
 * version and with the checksums of the lock file.
 */
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import * as z from "zod/mini";
import { UserError } from "../cli/userError.ts";
import { ROOT } from "../project/root.ts";
import { CACHE } from "./cache.ts";
import { fetchPackages, npmErrors } from "./fetchPackages.ts";

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
 * completely: npm would look up each of them in the registry, which takes minutes. The rest are not marked as optional,
 * because npm silently skips an optional package that it cannot fetch. Their platforms are left out, because npm
 * rejects a package for another platform unless it is optional.
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

const fetchInto = async (place: string, version: string, parts: Map<string, Package>): Promise<void> => {
  try {
    await fetchPackages(place, "sharp", parts);
  } catch (error) {
    // A concurrent build may have fetched it first.
    if (existsSync(place)) return;
    throw new UserError(
      `The image library sharp ${version} for linux-arm64, which set_pfp needs, is not in ` +
        `${relative(ROOT, place)} and cannot be fetched. Connect to the npm registry and package again. ` +
        `npm reports: ${npmErrors(error)}`,
    );
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
