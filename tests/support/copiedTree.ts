/** Copies the project, for tests that change its files. */
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { ROOT } from "./endpoints.ts";

const run = promisify(execFile);

/** Copies all files that git tracks or would add, and links what is installed. `remove` deletes the copy. */
export const copyTree = async (): Promise<{ root: string; remove: () => Promise<void> }> => {
  const root = await mkdtemp(join(tmpdir(), "copied-tree-"));
  const { stdout } = await run("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT });
  for (const file of stdout.trim().split("\n")) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    // Git also lists deleted files that are not committed.
    await cp(join(ROOT, file), join(root, file)).catch(() => {});
  }
  for (const folder of ["node_modules", ".cache"]) await symlink(join(ROOT, folder), join(root, folder));
  // The linter asks git for the list of files.
  await run("git", ["init", "-q"], { cwd: root });
  return { root, remove: () => rm(root, { recursive: true }) };
};
