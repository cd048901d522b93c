/** Restricts access to the files of a game, which contain password hashes and keys. */
import { chmodSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";

/** Read and write for the owner only. */
export const PRIVATE_FILE_MODE = 0o600;
export const PRIVATE_FOLDER_MODE = 0o700;

/** Removes the access of other accounts to files and folders, recursively. Missing paths are skipped. */
export const makePrivate = (paths: readonly string[]): void => {
  for (const path of paths) {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const isFolder = stats.isDirectory();
    // Only the owner may change a mode.
    if (stats.uid === process.getuid?.()) chmodSync(path, isFolder ? PRIVATE_FOLDER_MODE : PRIVATE_FILE_MODE);
    if (isFolder) makePrivate(readdirSync(path).map((name) => join(path, name)));
  }
};
