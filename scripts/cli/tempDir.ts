/** Temporary directories. */
import { accessSync, constants } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** The in-memory file system of Linux. */
const MEMORY = "/dev/shm";

/** Creates a temporary directory, in memory if possible. The caller removes it. */
export const makeTempDir = (): Promise<string> => {
  let parent = MEMORY;
  try {
    accessSync(MEMORY, constants.W_OK);
  } catch {
    parent = tmpdir();
  }
  return mkdtemp(join(parent, "zombie-game-"));
};
