/** Other processes of this machine. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

/**
 * Whether a process runs this command. Its id may have been reused for another command.
 * @param proc the folder in which Linux lists processes; macOS has none
 */
export const runsCommand = async (
  { pid, command }: { pid: number; command: readonly string[] },
  proc = "/proc",
): Promise<boolean> => {
  try {
    if (existsSync(join(proc, "self"))) {
      return (await readFile(join(proc, `${pid}/cmdline`), "utf8")) === `${command.join("\0")}\0`;
    }
    const { stdout } = await promisify(execFile)("ps", ["-ww", "-o", "command=", "-p", `${pid}`]);
    return stdout.trimEnd() === command.join(" ");
  } catch {
    return false;
  }
};
