/** Reads a zip, as far as those need it that are deployed. */
import { inflateRawSync } from "node:zlib";

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const DEFLATED = 8;

export interface Entry {
  contents: Buffer;
  /** Its permissions on Unix. */
  mode: number;
}

/** What lies in a zip, by its path. @throws Error for what is no zip */
export const unzip = (zip: Buffer): Map<string, Entry> => {
  const end = zip.lastIndexOf(Buffer.from(Uint32Array.of(END).buffer));
  if (end < 0) throw new Error("no zip");
  const entries = new Map<string, Entry>();
  let at = zip.readUInt32LE(end + 16);
  for (let left = zip.readUInt16LE(end + 10); left > 0; left -= 1) {
    if (zip.readUInt32LE(at) !== ENTRY) throw new Error("a zip with a bad directory");
    const [name, extra, comment] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    const path = zip.toString("utf8", at + 46, at + 46 + (name ?? 0));
    const local = zip.readUInt32LE(at + 42);
    const from = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const bytes = zip.subarray(from, from + zip.readUInt32LE(at + 20));
    const isDeflated = zip.readUInt16LE(at + 10) === DEFLATED;
    const mode = (zip.readUInt32LE(at + 38) >>> 16) & 0o777;
    entries.set(path, { contents: isDeflated ? inflateRawSync(bytes) : bytes, mode });
    at += 46 + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
};
