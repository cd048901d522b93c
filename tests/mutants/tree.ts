/** A copy of the working tree, which Stryker changes in place of the original. */
import { cp, mkdir, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { ROOT } from "../../scripts/project/root.ts";

/** Folders that are not copied: packages are linked, the others are no part of the source. */
const EXCLUDED = new Set(["node_modules", ".git", ".local", ".stryker", ".serverless", "coverage"]);

/** Folders whose `node_modules` is linked into the copy. */
const LINKED = ["", "tests/mutants"];

export interface Tree {
  folder: string;
  remove: () => Promise<void>;
}

/** Copies the working tree as it is now, uncommitted changes included; the caller removes it. */
export const copyTree = async (): Promise<Tree> => {
  const folder = await makeTempDir();
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await cp(ROOT, folder, {
      recursive: true,
      filter: (source) => source === ROOT || !EXCLUDED.has(basename(source)),
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
