/** Copies the project, for tests that change its files. */
import { execFile } from "node:child_process";
import { copyFile, cp, mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { CACHE } from "../../scripts/bundle/cache.ts";
import { ROOT } from "../../scripts/project/root.ts";

const run = promisify(execFile);

/** Copies all files that git tracks or would add, with the built types, and links what is installed. `remove` deletes the copy. */
export const copyTree = async (): Promise<{ root: string; remove: () => Promise<void> }> => {
  const root = await mkdtemp(join(tmpdir(), "copied-tree-"));
  const { stdout } = await run("git", ["ls-files", "-co", "--exclude-standard"], { cwd: ROOT });
  const files = [...stdout.trim().split("\n"), "client/src/openapi.ts"];
  for (const folder of new Set(files.map(dirname))) await mkdir(join(root, folder), { recursive: true });
  // Git also lists deleted files that are not committed.
  await Promise.all(files.map((file) => copyFile(join(ROOT, file), join(root, file)).catch(() => {})));
  // The web app that was built from the same sources; building it again would take seconds.
  const built = join(root, "web/dist");
  await cp(join(ROOT, "web/dist"), built, { recursive: true }).catch(() =>
    rm(built, { recursive: true, force: true }),
  );
  await symlink(join(ROOT, "node_modules"), join(root, "node_modules"));
  // The calls that this run records stay its own: a test run in the copy begins by deleting those of earlier runs.
  await mkdir(join(root, ".cache"));
  for (const name of await readdir(CACHE)) {
    if (name !== "calls") await symlink(join(CACHE, name), join(root, ".cache", name));
  }
  // The linter asks git for the list of files.
  await run("git", ["init", "-q"], { cwd: root });
  return { root, remove: () => rm(root, { recursive: true }) };
};
