/** The child processes that decode pictures, as the kernel lists them; and decoding without one. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import type { Picture } from "../../lib/images/decodeInChild.ts";
import { MAX_PIXELS, MAX_SIDE_PIXELS, pictureTooLarge, unsupportedPicture } from "../../lib/images/limits.ts";
import type { PictureFile } from "../../lib/images/normalize.ts";
import { decode } from "../../lib/images/sharp.ts";

/** What a child process makes of a file, in this process: for tests with thousands of files. */
export const decodeHere = async ({ bytes, format }: PictureFile): Promise<Picture> => {
  const decoded = await decode(bytes, { format, maxPixels: MAX_PIXELS, maxSidePixels: MAX_SIDE_PIXELS });
  if ("bytes" in decoded) return decoded;
  throw decoded.rejected === "too_large" ? pictureTooLarge() : unsupportedPicture();
};

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // It has just ended.
    return "";
  }
};

/** Whether this is Linux, which lists its processes in a folder. */
export const HAS_PROC = existsSync("/proc/self/task");

const ps = (...args: string[]): string => spawnSync("ps", ["-ww", ...args], { encoding: "utf8" }).stdout;

/** Whether a process is there, and is more than an entry that its parent has not taken note of. */
export const isRunning = (pid: number, hasProc = HAS_PROC): boolean =>
  hasProc
    ? /^\d+ \(.*\) [^Z]/s.test(read(`/proc/${pid}/stat`))
    : /^[^Z]/.test(ps("-o", "stat=", "-p", `${pid}`));

const childrenOf = (parent: number, hasProc: boolean): { pid: number; command: string }[] =>
  hasProc
    ? readdirSync(`/proc/${parent}/task`)
        .flatMap((task) => read(`/proc/${parent}/task/${task}/children`).match(/\d+/g) ?? [])
        .map((pid) => ({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`) }))
    : [...ps("-A", "-o", "ppid=,pid=,command=").matchAll(/^ *(\d+) +(\d+) (.*)$/gm)]
        .filter(([, ppid]) => Number(ppid) === parent)
        .map(([, , pid, command = ""]) => ({ pid: Number(pid), command }));

/** The ids of those that this process has started and that are running. */
export const decoders = (hasProc = HAS_PROC): number[] =>
  childrenOf(process.pid, hasProc).flatMap(({ pid, command }) =>
    command.includes("lib/images/decodeChild.ts") && isRunning(pid, hasProc) ? [pid] : [],
  );

/** Far longer than anything that a test looks for can take. */
const NEVER_MS = 30_000;

/** Looks again and again until something is so. @throws Error when that never comes */
export const until = async <T>(look: () => T | undefined | false): Promise<T> => {
  const end = Date.now() + NEVER_MS;
  while (Date.now() < end) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  throw new Error(`it is not so after ${NEVER_MS / 1_000} seconds`);
};
