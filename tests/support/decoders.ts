/** The child processes that decode pictures, as the kernel lists them; and decoding without one. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { vi } from "vitest";
import type { Picture } from "../../lib/images/decodeInChild.ts";
import { MAX_PIXELS, MAX_SIDE_PIXELS, pictureTooLarge, unsupportedPicture } from "../../lib/images/limits.ts";
import type { PictureFile } from "../../lib/images/normalize.ts";
import { decode } from "../../lib/images/sharp.ts";

/** Decodes a file in this process, with the same result as in a child process: for tests with thousands of files. */
export const decodeHere = async ({ bytes, format }: PictureFile): Promise<Picture> => {
  const decoded = await decode(bytes, { format, maxPixels: MAX_PIXELS, maxSidePixels: MAX_SIDE_PIXELS });
  if ("bytes" in decoded) return decoded;
  throw decoded.rejected === "too_large" ? pictureTooLarge() : unsupportedPicture();
};

const read = (path: string): string => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // The process has just ended.
    return "";
  }
};

/** Whether this is Linux, which lists its processes in a folder. */
export const HAS_PROC = existsSync("/proc/self/task");

const ps = (...args: string[]): string => spawnSync("ps", ["-ww", ...args], { encoding: "utf8" }).stdout;

/** Whether a process is running; one that has ended does not count, even if its parent has not read its status yet. */
export const isRunning = (pid: number): boolean =>
  HAS_PROC
    ? /^\d+ \(.*\) [^Z]/s.test(read(`/proc/${pid}/stat`))
    : /^[^Z]/.test(ps("-o", "stat=", "-p", `${pid}`));

const children = (): { pid: number; command: string }[] =>
  HAS_PROC
    ? readdirSync("/proc/self/task")
        .flatMap((task) => read(`/proc/self/task/${task}/children`).match(/\d+/g) ?? [])
        .map((pid) => ({ pid: Number(pid), command: read(`/proc/${pid}/cmdline`) }))
    : [...ps("-A", "-o", "ppid=,pid=,command=").matchAll(/^ *(\d+) +(\d+) (.*)$/gm)]
        .filter(([, parent]) => Number(parent) === process.pid)
        .map(([, , pid, command = ""]) => ({ pid: Number(pid), command }));

/** The ids of the running decoders that this process has started. */
export const decoders = (): number[] =>
  children().flatMap(({ pid, command }) =>
    command.includes("lib/images/decodeChild.ts") && isRunning(pid) ? [pid] : [],
  );

/** Waits until a condition holds. @returns its value */
export const until = <T>(look: () => T) => vi.waitUntil(look, { timeout: 30_000, interval: 5 });
