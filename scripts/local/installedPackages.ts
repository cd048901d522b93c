/** The installed packages: where they are, and when they are installed anew under a running service. */
import { type Stats, statSync, unwatchFile, watchFile } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../project/root.ts";

export const PACKAGES = join(ROOT, "node_modules");

const LOOK_EVERY_MS = 1_000;

/**
 * Resolves when npm has installed the packages again.
 * @param file the one that npm writes last, in milliseconds looked at every `interval`
 */
export const untilInstalled = (
  file = join(PACKAGES, ".package-lock.json"),
  interval = LOOK_EVERY_MS,
): Promise<void> =>
  new Promise((resolve) => {
    const before = statSync(file, { throwIfNoEntry: false });
    const look = (now: Stats): void => {
      // Absent while npm is at work; the same with, say, another owner.
      if (now.nlink === 0 || (now.ino === before?.ino && now.mtimeMs === before.mtimeMs)) return;
      unwatchFile(file, look);
      resolve();
    };
    watchFile(file, { interval, persistent: false }, look);
  });
