/** A copy of the working tree, which Stryker changes in place of the original. */
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../scripts/project/root.ts";
import { copyTree as copyProject } from "../support/copiedTree.ts";

export interface Tree {
  folder: string;
  remove: () => Promise<void>;
}

/** Copies the working tree as it is now, uncommitted changes included; the caller removes it. */
export const copyTree = async (): Promise<Tree> => {
  const { root: folder, remove } = await copyProject();
  await symlink(join(ROOT, "tests/mutants/node_modules"), join(folder, "tests/mutants/node_modules"));
  return { folder, remove };
};
