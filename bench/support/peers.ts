/** The peers: packages of the benches alone, installed when they are first wanted. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { UserError } from "../../scripts/cli/userError.ts";

const FOLDER = join(import.meta.dirname, "..");

const Installed = z.object({ version: z.string() });
const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({ version: z.optional(z.string()), dependencies: z.optional(z.record(z.string(), z.string())) }),
  ),
});

const readJson = (file: string): unknown => JSON.parse(readFileSync(join(FOLDER, file), "utf8"));

/** Whether a package lies there in the version that the lock file names. */
const isThere = (path: string, version: string | undefined): boolean => {
  try {
    return Installed.parse(readJson(`${path}/package.json`)).version === version;
  } catch {
    return false;
  }
};

const areThere = (): boolean => {
  const { packages } = Lock.parse(readJson("package-lock.json"));
  const wanted = Object.keys(packages[""]?.dependencies ?? {}).map((name) => `node_modules/${name}`);
  return wanted.every((path) => isThere(path, packages[path]?.version));
};

/** Has npm install them, where they are not there. @throws UserError when it cannot */
export const installPeers = (): void => {
  if (areThere()) return;
  console.log("Installing what the benches compare with into bench/node_modules.");
  const { status } = spawnSync("npm", ["ci", "--prefix", FOLDER, "--ignore-scripts"], { stdio: "inherit" });
  if (status !== 0 || !areThere())
    throw new UserError("npm does not install the peers: npm ci --prefix bench");
};
