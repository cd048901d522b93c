/** Installs npm packages into a folder, and verifies them by the checksums of a lock file. */
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

const NPM_CI = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

const TIME_LIMIT_MINUTES = 5;

const wasTimedOut = (error: unknown): boolean =>
  error instanceof Error && "killed" in error && error.killed === true;

/**
 * Installs the packages of the folder's lock file. Retries once, because a caching registry may be slow to answer the first
 * request for a package, or reject it.
 */
const install = async (folder: string): Promise<void> => {
  const attempt = () =>
    promisify(execFile)("npm", NPM_CI, { cwd: folder, timeout: TIME_LIMIT_MINUTES * 60_000 });
  await attempt().catch(attempt);
};

/** Lines of npm's errors with a message: not the path of its log, and no line of a stack trace or an object. */
const ERROR_LINE = /^npm (error|ERR!) (?!A complete log|\s|\})/;

/** Extracts npm's error messages, without stack traces, into one line. */
export const npmErrors = (error: unknown): string => {
  if (wasTimedOut(error)) return `the second attempt took longer than ${TIME_LIMIT_MINUTES} minutes`;
  const text = messageOf(error);
  const errors = text.split("\n").filter((line) => ERROR_LINE.test(line));
  return errors.length === 0 ? text : errors.map((line) => line.replace(/^npm \S+ /, "")).join("; ");
};

/**
 * Installs a package and its dependencies.
 * @param target path of the `node_modules` folder to create
 * @param name the package
 * @param packages the package and all its dependencies, by their path in a lock file
 * @throws Error if npm fails, or if the folder exists and is not empty
 */
export const fetchPackages = async (
  target: string,
  name: string,
  packages: ReadonlyMap<string, LockedPackage>,
): Promise<void> => {
  await mkdir(dirname(target), { recursive: true });
  const folder = await mkdtemp(join(dirname(target), "fetch-"));
  try {
    const version = packages.get(`node_modules/${name}`)?.version;
    const manifest = { name: "fetched", private: true, dependencies: { [name]: version } };
    const locked = { "": manifest, ...Object.fromEntries(packages) };
    const lock = { name: "fetched", lockfileVersion: 3, requires: true, packages: locked };
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
    await writeFile(join(folder, "package-lock.json"), JSON.stringify(lock));
    await install(folder);
    await rename(join(folder, "node_modules"), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
