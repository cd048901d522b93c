/** Files of a game: they hold password hashes and keys, so no other account of the machine may read them. */
import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** The mode of a file that only its owner may read and write. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

/** Takes away everybody else's access to files and to folders with all that is in them; skips those that do not exist. */
export const makePrivate = (paths: readonly string[]): void => {
  for (const path of paths) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const isFolder = stats.isDirectory();
    // Only the owner may change a mode; a file that is shared on purpose belongs to somebody else.
    if (stats.uid === process.getuid?.()) chmodSync(path, isFolder ? PRIVATE_FOLDER_MODE : PRIVATE_FILE_MODE);
    if (isFolder) makePrivate(readdirSync(path).map((name) => join(path, name)));
  }
};
