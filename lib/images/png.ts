/** PNG: keeps only the chunks of the picture. Other chunks could decompress to megabytes. */
import { requireDimensions, unsupportedPicture } from "./limits.ts";

export const PNG_SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

const HEADER = "IHDR";
const END = "IEND";
/** Chunks with pixels, which may repeat, and chunks that describe them, which may not. */
const REPEATABLE = new Set(["IDAT"]);
const SINGLE = new Set([HEADER, "PLTE", "tRNS", "sRGB", "gAMA", "cHRM", "iCCP", "eXIf"]);

/** Bytes of a chunk's length, type and checksum. */
const CHUNK_OVERHEAD_BYTES = 12;

/**
 * Returns the PNG without texts, animation, and any bytes after its end.
 * @throws DomainError `too_large` when it has too many pixels; `unsupported_media_type` when it is truncated
 */
export const preparePng = (bytes: Buffer): Buffer => {
  const kept: Buffer[] = [PNG_SIGNATURE];
  const seen = new Set<string>();
  let at = PNG_SIGNATURE.length;
  while (at + CHUNK_OVERHEAD_BYTES <= bytes.length) {
    const end = at + CHUNK_OVERHEAD_BYTES + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    const type = bytes.toString("latin1", at + 4, at + 8);
    const chunk = bytes.subarray(at, end);
    if (type === HEADER && end - at >= CHUNK_OVERHEAD_BYTES + 8) {
      requireDimensions(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12));
    }
    if (type === END) return Buffer.concat([...kept, chunk]);
    if (REPEATABLE.has(type) || (SINGLE.has(type) && !seen.has(type))) kept.push(chunk);
    seen.add(type);
    at = end;
  }
  throw unsupportedPicture();
};
