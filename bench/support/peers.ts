/** Installs the packages of the peers, which only the benches need. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { UserError } from "../../scripts/cli/userError.ts";

const FOLDER = join(import.meta.dirname, "..");

const Lock = z.object({
  packages: z.record(z.string(), z.object({ version: z.optional(z.string()) })),
});

const readLock = (file: string): z.infer<typeof Lock>["packages"] =>
  Lock.parse(JSON.parse(readFileSync(join(FOLDER, file), "utf8"))).packages;

/** Whether npm has installed the versions of the lock file. */
const isInstalled = (): boolean => {
  const wanted = readLock("package-lock.json");
  try {
    const installed = readLock("node_modules/.package-lock.json");
    return Object.entries(wanted).every(
      ([path, { version }]) => path === "" || installed[path]?.version === version,
    );
  } catch {
    return false;
  }
};

/** @throws UserError when npm cannot install them */
export const installPeers = (): void => {
  if (isInstalled()) return;
  console.log("Installing the peers into bench/node_modules.");
  const { status } = spawnSync("npm", ["ci", "--prefix", FOLDER, "--ignore-scripts"], { stdio: "inherit" });
  if (status !== 0 || !isInstalled()) throw new UserError("npm ci --prefix bench failed.");
};
