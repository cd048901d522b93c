/** A copy of the working tree in which bugs may be planted; nothing of it comes back. */
import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { ROOT } from "../../scripts/project/root.ts";

/** What is not copied: what npm installs is linked, the rest is no part of the tree. */
const LEFT_OUT = new Set(["node_modules", ".git", ".local", ".stryker", ".serverless", "coverage"]);

/** Whose packages are linked into the copy. */
const LINKED = ["", "tests/mutants"];

export interface Tree {
  folder: string;
  remove: () => Promise<void>;
}

/** Copies the tree as it is now; whoever asked for it removes it. */
export const copyTree = async (): Promise<Tree> => {
  const folder = await makeTempDir();
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await cp(ROOT, folder, {
      recursive: true,
      filter: (source) => source === ROOT || !LEFT_OUT.has(basename(source)),
    });
    for (const place of LINKED) {
      const link = join(folder, place, "node_modules");
      await mkdir(join(folder, place), { recursive: true });
      await symlink(join(ROOT, place, "node_modules"), link);
    }
    return { folder, remove };
  } catch (error) {
    await remove();
    throw error;
  }
};
