/** Detects that npm has installed the packages again while the service is running. */
import { type Stats, statSync, unwatchFile, watchFile } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../project/root.ts";

export const PACKAGES = join(ROOT, "node_modules");

const LOOK_EVERY_MS = 1_000;

/**
 * Resolves when npm has installed the packages again.
 * @param file the file that npm writes last
 * @param interval polling interval in milliseconds
 */
export const untilInstalled = (
  file = join(PACKAGES, ".package-lock.json"),
  interval = LOOK_EVERY_MS,
): Promise<void> =>
  new Promise((resolve) => {
    const before = statSync(file, { throwIfNoEntry: false });
    const look = (now: Stats): void => {
      // The file is missing during the installation. Other changes, such as of its owner, do not count.
      if (now.nlink === 0 || (now.ino === before?.ino && now.mtimeMs === before.mtimeMs)) return;
      unwatchFile(file, look);
      resolve();
    };
    watchFile(file, { interval, persistent: false }, look);
  });
