/** Fetches packages from the npm registry into a folder, with the checksums of a lock file. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { messageOf } from "../cli/userError.ts";

/** A package as a lock file describes it. */
export interface LockedPackage {
  version?: string | undefined;
  integrity?: string | undefined;
  dependencies?: Record<string, string> | undefined;
}

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
export const npmErrors = (error: unknown): string => {
  if (wasTimedOut(error)) return `two timeouts of ${TIME_LIMIT_MINUTES} minutes`;
  const text = messageOf(error);
  const errors = text.split("\n").filter((line) => /^npm (error|ERR!) (?!A complete log|\s|\})/.test(line));
  return errors.length === 0 ? text : errors.map((line) => line.replace(/^npm \S+ /, "")).join("; ");
};

/**
 * Fetches a package and those that it needs.
 * @param place the `node_modules` folder that is made
 * @param packages all of them, by their path in a lock file
 * @throws Error of npm, or of the file system if `place` exists
 */
export const fetchPackages = async (
  place: string,
  name: string,
  packages: ReadonlyMap<string, LockedPackage>,
): Promise<void> => {
  await mkdir(dirname(place), { recursive: true });
  const folder = await mkdtemp(join(dirname(place), "fetch-"));
  try {
    const version = packages.get(`node_modules/${name}`)?.version;
    const manifest = { name: "fetched", private: true, dependencies: { [name]: version } };
    const locked = { "": manifest, ...Object.fromEntries(packages) };
    const lock = { name: "fetched", lockfileVersion: 3, requires: true, packages: locked };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
    await install(folder);
    await rename(join(folder, "node_modules"), place);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
