/**
 * Decodes pictures in a child process, one at a time. Only a process can be ended while libvips works: its threads go on
 * when a worker thread is terminated, and they occupy the thread pool that logins need (docs/decisions/0034).
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import * as z from "zod/mini";
import { DomainError } from "../domain/domainError.ts";
import { childEnv } from "../runtime/env.ts";
import { log } from "../runtime/log.ts";
import type { ChildOptions } from "./decodeChild.ts";
import { openFairQueue } from "./fairQueue.ts";
import { MAX_PIXELS, MAX_SIDE_PIXELS, pictureTooLarge, unsupportedPicture } from "./limits.ts";
import type { PictureFile } from "./normalize.ts";

/** A picture as it is kept. */
export interface Picture {
  /** WebP, less than 350 KB. */
  bytes: Buffer;
  width: number;
  height: number;
}

/** How long a picture may take, in milliseconds; the largest honest ones take four seconds of a processor. */
const MOST_MS = 6_000;

/** How long a picture waits for those before it, in milliseconds: longer than one of them can take. */
const WAIT_MS = 10_000;

/** After how many seconds a client may try again. */
const RETRY_SECONDS = 10;

/**
 * Kilobytes of memory that the kernel lets the child allocate. 49 megapixels of AVIF take 870 MB. Node.js reserves 650 MB
 * at its start, and uses little of it.
 */
const MOST_MEMORY_KB = 2_000_000;

/** Bytes of the longest result, and characters that are kept of what the child writes to standard error. */
const MOST_RESULT = 400 * 1024;
const MOST_SAID = 1_000;

/** The line of JSON before the bytes of the result. */
const Result = z.union([
  z.object({ width: z.int().check(z.positive()), height: z.int().check(z.positive()) }),
  z.object({ refused: z.enum(["not_a_picture", "too_large"]) }),
]);

const unavailable = (): DomainError =>
  new DomainError("unavailable", "Too many pictures are being worked on. Try again shortly.", {
    retryAfter: RETRY_SECONDS,
  });

/**
 * Starts the child process. It waits for its file on standard input, and ends when that closes. The shell sets the limit
 * on memory and then becomes the child; nothing of the file reaches the shell.
 */
export const startChild = async (options: ChildOptions): Promise<ChildProcessWithoutNullStreams> => {
  // Only the file itself knows its path, whether it was bundled or not. Importing it loads no library.
  const { FILE } = await import("./decodeChild.ts");
  const command = [process.execPath, FILE, JSON.stringify(options)];
  const limited = ["-c", 'ulimit -d "$0"; exec "$@"', `${MOST_MEMORY_KB}`, ...command];
  return spawn("/bin/sh", limited, { env: childEnv(), stdio: "pipe" });
};

/** How a child process ended. */
interface Ended {
  isLate: boolean;
  code: number | null;
  signal: NodeJS.Signals | null;
  result: Buffer;
  said: string;
}

/** Runs a child process on a file, and kills it after so many milliseconds. @throws Error when it does not start */
const run = async ({ format, bytes }: PictureFile, withinMs: number): Promise<Ended> => {
  const size = bytes.length;
  const child = await startChild({ format, size, maxPixels: MAX_PIXELS, maxSidePixels: MAX_SIDE_PIXELS });
  const { promise, resolve, reject } = Promise.withResolvers<Ended>();
  const result: Buffer[] = [];
  let [length, said, isLate] = [0, "", false];
  const kill = () => child.kill("SIGKILL");
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, withinMs);
  child.stdout.on("data", (part: Buffer) => {
    length += part.length;
    if (length > MOST_RESULT) kill();
    else result.push(part);
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    said = (said + part).slice(-MOST_SAID);
  });
  // It may end before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.write(bytes);
  child.once("error", reject);
  child.once("close", (code, signal) =>
    resolve({ isLate, code, signal, result: Buffer.concat(result), said }),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
};

/** The result of a child process that ended well. @throws DomainError; Error for what is no result */
const pictureOf = (result: Buffer): Picture => {
  const end = result.indexOf("\n");
  const told = Result.parse(JSON.parse(result.toString("utf8", 0, Math.max(0, end))));
  if ("refused" in told) throw told.refused === "too_large" ? pictureTooLarge() : unsupportedPicture();
  return { ...told, bytes: result.subarray(end + 1) };
};

const takeTurn = openFairQueue();

/**
 * Decodes a file to a small WebP (see `decode` in decoder.ts).
 * @param options.player whose picture it is: players take turns
 * @param options.timeLeft milliseconds until the request needs its time for other things
 * @param options.mostMs how long the picture may take, in milliseconds
 * @throws DomainError `unsupported_media_type` for a broken file; `too_large` when it has more pixels than are decoded, or
 *   takes too long; `unavailable` when there was no time for it. Error when the child process cannot do its work
 */
export const decodeInChild = async (
  file: PictureFile,
  options: { player: string; timeLeft: () => number; mostMs?: number },
): Promise<Picture> => {
  const { player, timeLeft, mostMs = MOST_MS } = options;
  const waitMs = Math.max(0, Math.min(WAIT_MS, timeLeft()));
  const ended = await takeTurn({ player, waitMs }, async () => {
    const withinMs = Math.min(mostMs, timeLeft());
    if (withinMs <= 0) return null;
    const { isLate, ...how } = await run(file, withinMs);
    if (!isLate) return how;
    if (withinMs < mostMs) return null;
    throw new DomainError("too_large", `A picture must not take over ${mostMs / 1_000} seconds to decode.`);
  });
  if (ended === null) throw unavailable();
  const { code, signal, result, said } = ended;
  if (signal !== null) {
    // Only the child is affected, and the same file would crash the next one too.
    log.error("picture decoder crashed", { signal, said });
    throw unsupportedPicture();
  }
  if (code !== 0) throw new Error(`the picture decoder ended with exit code ${code}: ${said}`);
  return pictureOf(result);
};
