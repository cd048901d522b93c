/** Watches the sources of the service. */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ROOT } from "../project/root.ts";

const FOLDERS = ["functions", "lib", "resources", "web/public", "web/src"];
const FILES = ["serverless.yml", "web/index.html", "web/icons.ts", "web/letters.ts", "web/vite.config.ts"];
const SOURCE = /^[^.].*\.(tsx?|yml|cjs|json|css|svg|webmanifest)$/;

/** The polling interval: checking 550 files takes 4 ms, so this uses 2 % of a core. */
const POLL_MS = 200;
/** Editors write a file in several steps, and a checkout writes many files. */
const SETTLE_MS = 100;

type Pause = (milliseconds: number) => Promise<unknown>;

/** The state of each source file, by its path relative to the root. */
type Snapshot = ReadonlyMap<string, string>;

const entriesOf = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    // The folder was removed during the scan; the next scan will see the rest.
    return [];
  }
};

const scan = (root: string): Snapshot => {
  const files = FOLDERS.flatMap((folder) =>
    entriesOf(join(root, folder))
      .filter((entry) => SOURCE.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name)),
  );
  const snapshot = new Map<string, string>();
  for (const file of [...FILES.map((name) => join(root, name)), ...files]) {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    // With the inode, because a replacement may have the same time and size.
    if (stat?.isFile()) snapshot.set(relative(root, file), `${stat.ino} ${stat.size} ${stat.mtimeNs}`);
  }
  return snapshot;
};

const changesBetween = (before: Snapshot, now: Snapshot): string[] =>
  [...new Set([...before.keys(), ...now.keys()])]
    .filter((name) => before.get(name) !== now.get(name))
    .toSorted();

async function* changesSince(start: Snapshot, root: string, pause: Pause): AsyncGenerator<string[]> {
  let known = start;
  while (true) {
    let now = scan(root);
    while (changesBetween(known, now).length === 0) {
      await pause(POLL_MS);
      now = scan(root);
    }
    let before: Snapshot;
    do {
      before = now;
      await pause(SETTLE_MS);
      now = scan(root);
    } while (changesBetween(before, now).length > 0);
    const changed = changesBetween(known, now);
    known = now;
    // Empty if the change was reverted.
    if (changed.length > 0) yield changed;
  }
}

/**
 * Yields the paths of source files that were written, added, replaced or removed, once they no longer change. Changes
 * between two calls are yielded together.
 *
 * It compares inodes, sizes and times. On Linux, `fs.watch` with `recursive` watches inodes and misses a file that
 * was replaced by a rename, as many editors save.
 * @param options.pause waits a number of milliseconds
 */
export const watchSources = ({
  root = ROOT,
  pause = setTimeout,
}: {
  root?: string;
  pause?: Pause;
} = {}): AsyncGenerator<string[]> => changesSince(scan(root), root, pause);
