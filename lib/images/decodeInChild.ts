/**
 * Decodes pictures in a child process, one at a time. Only a process can be stopped while libvips works: its threads
 * survive the termination of a worker thread, and occupy the thread pool that logins need (docs/decisions/0034).
 */
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import * as z from "zod/mini";
import { DomainError } from "../domain/domainError.ts";
import { childEnv } from "../runtime/env.ts";
import { openFairQueue } from "../runtime/fairQueue.ts";
import { log } from "../runtime/log.ts";
import type { ChildOptions } from "./decodeChild.ts";
import { MAX_PIXELS, MAX_SIDE_PIXELS, pictureTooLarge, unsupportedPicture } from "./limits.ts";
import type { PictureFile } from "./normalize.ts";

/** A picture as it is stored. */
export interface Picture {
  /** WebP, less than 350 KiB. */
  bytes: Buffer;
  width: number;
  height: number;
}

/**
 * The limit of decoding in seconds of CPU time, so that a busy machine does not reject pictures. The largest regular
 * pictures take four.
 */
const MAX_CPU_SECONDS = 6;

const RETRY_AFTER_SECONDS = 10;

/**
 * The memory that the kernel lets the child allocate. 49 megapixels of AVIF take 870 MB. Node.js reserves 650 MB at its
 * start, and uses little of it.
 */
const MAX_MEMORY_KB = 2_000_000;

const MAX_RESULT_BYTES = 400 * 1024;
/** The number of characters of the child's standard error that are kept. */
const MAX_STDERR_LENGTH = 1_000;

/** The line of JSON before the bytes of a result. */
const Result = z.union([
  z.object({ width: z.int().check(z.positive()), height: z.int().check(z.positive()) }),
  z.object({ rejected: z.enum(["not_a_picture", "too_large"]) }),
]);

const unavailable = (): DomainError =>
  new DomainError("unavailable", "Too many pictures are being processed. Try again shortly.", {
    retryAfter: RETRY_AFTER_SECONDS,
  });

/**
 * Starts the child process. It reads its file from standard input, and ends when that closes. The shell sets the limits
 * of memory and CPU time, and is then replaced by the child without having read the file.
 */
export const startChild = async (options: ChildOptions): Promise<ChildProcessWithoutNullStreams> => {
  // The file itself provides its path, which differs in a bundle. Importing it loads no library.
  const { FILE } = await import("./decodeChild.ts");
  const command = [process.execPath, FILE, JSON.stringify(options)];
  const limits = `ulimit -d ${MAX_MEMORY_KB}; ulimit -S -t ${MAX_CPU_SECONDS}`;
  const shellArguments = ["-c", `${limits}; exec "$@"`, "decode", ...command];
  return spawn("/bin/sh", shellArguments, { env: childEnv(), stdio: "pipe" });
};

/** How a child process ended. */
interface ChildResult {
  isTimedOut: boolean;
  code: number | null;
  signal: NodeJS.Signals | null;
  result: Buffer;
  stderr: string;
}

/** Runs a child process on a file, and kills it after `withinMs`. @throws Error when it does not start */
const run = async ({ format, bytes }: PictureFile, withinMs: number): Promise<ChildResult> => {
  const size = bytes.length;
  const child = await startChild({ format, size, maxPixels: MAX_PIXELS, maxSidePixels: MAX_SIDE_PIXELS });
  const { promise, resolve, reject } = Promise.withResolvers<ChildResult>();
  const result: Buffer[] = [];
  let [length, stderr, isTimedOut] = [0, "", false];
  const kill = () => child.kill("SIGKILL");
  const timer = setTimeout(() => {
    isTimedOut = true;
    kill();
  }, withinMs);
  child.stdout.on("data", (part: Buffer) => {
    length += part.length;
    if (length > MAX_RESULT_BYTES) kill();
    else result.push(part);
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => {
    stderr = (stderr + part).slice(-MAX_STDERR_LENGTH);
  });
  // The child may end before it has read everything.
  child.stdin.on("error", () => {});
  child.stdin.write(bytes);
  child.once("error", reject);
  child.once("close", (code, signal) =>
    resolve({ isTimedOut, code, signal, result: Buffer.concat(result), stderr }),
  );
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
  }
};

/** Parses the result of a successful child process. @throws DomainError; Error for a malformed result */
const pictureOf = (result: Buffer): Picture => {
  const end = result.indexOf("\n");
  const head = Result.parse(JSON.parse(result.toString("utf8", 0, Math.max(0, end))));
  if ("rejected" in head) throw head.rejected === "too_large" ? pictureTooLarge() : unsupportedPicture();
  return { ...head, bytes: result.subarray(end + 1) };
};

const takeTurn = openFairQueue();

/**
 * Decodes a file to a small WebP (see `decode` in sharp.ts).
 * @param options.player the owner of the picture: players take turns
 * @param options.timeLeft milliseconds that the request can spend on decoding
 * @throws DomainError `unsupported_media_type` for a broken file; `too_large` when it has too many pixels or takes too
 *   long; `unavailable` when there was no time for it. Error when the child process fails
 */
export const decodeInChild = async (
  file: PictureFile,
  { player, timeLeft }: { player: string; timeLeft: () => number },
): Promise<Picture> => {
  const ended = await takeTurn({ who: player, waitMs: Math.max(0, timeLeft()) }, async () => {
    const withinMs = timeLeft();
    if (withinMs <= 0) return null;
    const { isTimedOut, ...result } = await run(file, withinMs);
    return isTimedOut ? null : result;
  });
  if (ended === null) throw unavailable();
  const { code, signal, result, stderr } = ended;
  if (signal === "SIGXCPU") {
    const detail = `A picture must not take more than ${MAX_CPU_SECONDS} seconds to decode.`;
    throw new DomainError("too_large", detail);
  }
  if (signal !== null) {
    // No retry: the same file would crash another child, too.
    log.error("picture decoder crashed", { signal, stderr });
    throw unsupportedPicture();
  }
  if (code !== 0) throw new Error(`the picture decoder ended with exit code ${code}: ${stderr}`);
  return pictureOf(result);
};
