/** A folder for what is not to be kept. */
import { accessSync, constants } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Linux keeps files in memory, if it does. */
const MEMORY = "/dev/shm";

/** Makes a folder of one's own, in memory if possible; whoever made it removes it. */
export const makeTempDir = (): Promise<string> => {
  let parent = MEMORY;
  try {
    accessSync(MEMORY, constants.W_OK);
  } catch {
    parent = tmpdir();
  }
  return mkdtemp(join(parent, "zombie-game-"));
};
