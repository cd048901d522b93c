/** Changes of the sources that the service runs. */
import { type Dirent, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ROOT } from "../project/root.ts";

const FOLDERS = ["functions", "lib", "resources"];
const FILES = ["serverless.yml"];
const SOURCE = /^[^.].*\.(ts|yml|cjs|json)$/;

/** How often the sources are looked at: 200 files take 2 ms, so this takes 1 % of one processor. */
const LOOK_MS = 200;
/** An editor writes a file in several steps, and a checkout writes many files. */
const SETTLE_MS = 100;

type Pause = (milliseconds: number) => Promise<unknown>;

/** What identifies one saved state of each source file, by its name from the root. */
type Snapshot = ReadonlyMap<string, string>;

const entriesOf = (folder: string): Dirent[] => {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true });
  } catch {
    // A folder was removed meanwhile: the next look finds what is left.
    return [];
  }
};

const look = (root: string): Snapshot => {
  const files = FOLDERS.flatMap((folder) =>
    entriesOf(join(root, folder))
      .filter((entry) => SOURCE.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name)),
  );
  const snapshot = new Map<string, string>();
  for (const file of [...FILES.map((name) => join(root, name)), ...files]) {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    // The inode too: a file that replaces another may have its time and size.
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
    let now = look(root);
    while (changesBetween(known, now).length === 0) {
      await pause(LOOK_MS);
      now = look(root);
    }
    let before: Snapshot;
    do {
      before = now;
      await pause(SETTLE_MS);
      now = look(root);
    } while (changesBetween(before, now).length > 0);
    const changed = changesBetween(known, now);
    known = now;
    // Empty when the change was taken back meanwhile.
    if (changed.length > 0) yield changed;
  }
}

/**
 * Yields the names of source files that were written, added, replaced or removed since this call, once no more of them
 * changes; what changes until the next name is asked for comes with it.
 *
 * It compares the files' inodes, sizes and times. On Linux, `fs.watch` with `recursive` watches the inode of each file
 * and does not see a file again that another was renamed over, as many editors save.
 * @param options.pause waits so many milliseconds before the next look
 */
export const watchSources = ({
  root = ROOT,
  pause = setTimeout,
}: {
  root?: string;
  pause?: Pause;
} = {}): AsyncGenerator<string[]> => changesSince(look(root), root, pause);
