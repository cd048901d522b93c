/** The child processes that decode pictures, as the kernel lists them; and decoding without one. */
import { readdirSync, readFileSync } from "node:fs";
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

/** Whether a process is there, and is more than an entry that its parent has not taken note of. */
export const isRunning = (pid: number): boolean => /^\d+ \(.*\) [^Z]/s.test(read(`/proc/${pid}/stat`));

/** The ids of those that this process has started and that are running. */
export const decoders = (): number[] =>
  readdirSync("/proc/self/task")
    .flatMap((task) => read(`/proc/self/task/${task}/children`).trim().split(" "))
    .map(Number)
    .filter((pid) => read(`/proc/${pid}/cmdline`).includes("lib/images/decodeChild.ts") && isRunning(pid));

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
