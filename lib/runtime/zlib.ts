/** Compression by Node.js, which is loaded on first use: it takes two milliseconds of a cold start, and few requests need it. */
import type { CompressCallback } from "node:zlib";

/** Runs a function of zlib. @returns its bytes @throws the error that it reports */
export const withZlib = async (
  run: (zlib: typeof import("node:zlib"), done: CompressCallback) => void,
): Promise<Buffer> => {
  const zlib = await import("node:zlib");
  return new Promise((resolve, reject) => {
    run(zlib, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });
};
