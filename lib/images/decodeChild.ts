/** The child process that decodes one picture. The parent is lib/images/decodeInChild.ts. */
import { type DecodeOptions, decode } from "./sharp.ts";

/** The path of this file, which the child process runs. In a bundle it is a chunk. */
export const FILE = import.meta.filename;

/** The argument of the child process. The bytes of the file come by standard input. */
export interface ChildOptions extends DecodeOptions {
  /** The number of bytes of the file. */
  size: number;
}

/**
 * Reads the file from standard input, which stays open while the parent lives. When the input closes, this process
 * kills itself with SIGKILL, because a normal exit would wait for libvips to finish.
 */
const readFile = (size: number): Promise<Buffer> => {
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const parts: Buffer[] = [];
  let length = 0;
  process.stdin.on("data", (part: Buffer) => {
    parts.push(part);
    length += part.length;
    if (length >= size) resolve(Buffer.concat(parts));
  });
  process.stdin.on("close", () => process.kill(process.pid, "SIGKILL"));
  return promise;
};

/** Reads a file, decodes it, and writes the result to standard output: a line of JSON, then the bytes of the WebP. */
const main = async (): Promise<void> => {
  const { size, ...options }: ChildOptions = JSON.parse(process.argv[2] ?? "");
  const decoded = await decode(await readFile(size), options);
  const head = Buffer.from(`${JSON.stringify({ ...decoded, bytes: undefined })}\n`);
  const bytes = "bytes" in decoded ? decoded.bytes : Buffer.alloc(0);
  process.stdout.write(Buffer.concat([head, bytes]), () => process.exit());
};

// The parent also imports this file, only for its path.
if (process.argv[1] === FILE) await main();
