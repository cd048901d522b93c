/** Installs the packages of the peers, which only the benches need. */
import { spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { UserError } from "../../scripts/cli/userError.ts";

const FOLDER = join(import.meta.dirname, "..");

/** Returns when a file was written; 0 if it does not exist. */
const writtenAt = (file: string): number =>
  statSync(join(FOLDER, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** @throws UserError when npm cannot install them */
export const installPeers = (): void => {
  // npm writes this copy of the lock file at the end of an installation.
  if (writtenAt("node_modules/.package-lock.json") > writtenAt("package-lock.json")) return;
  console.log("Installing the peers into bench/node_modules.");
  const { status } = spawnSync("npm", ["ci", "--prefix", FOLDER, "--ignore-scripts"], { stdio: "inherit" });
  if (status !== 0) throw new UserError("npm ci --prefix bench failed.");
};
