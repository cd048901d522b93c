/** PNG: only the chunks that make the picture; any other may unpack to megabytes that nobody will see. */
import { requireDimensions, unsupportedPicture } from "./limits.ts";

export const PNG_SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

const HEADER = "IHDR";
const END = "IEND";
/** What holds the pixels, of which there may be several, and what says once how to read them. */
const SEVERAL = new Set(["IDAT"]);
const ONCE = new Set([HEADER, "PLTE", "tRNS", "sRGB", "gAMA", "cHRM", "iCCP", "eXIf"]);

/** Bytes of a chunk beside its data: length, type, checksum. */
const FRAME = 12;

/**
 * The PNG without texts, animation, and whatever comes after its end.
 * @throws DomainError `too_large` when it has too many pixels; `unsupported_media_type` when a chunk is cut off
 */
export const preparePng = (bytes: Buffer): Buffer => {
  const kept: Buffer[] = [PNG_SIGNATURE];
  const seen = new Set<string>();
  let at = PNG_SIGNATURE.length;
  while (at + FRAME <= bytes.length) {
    const end = at + FRAME + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    const type = bytes.toString("latin1", at + 4, at + 8);
    const chunk = bytes.subarray(at, end);
    if (type === HEADER && end - at >= FRAME + 8) {
      requireDimensions(bytes.readUInt32BE(at + 8), bytes.readUInt32BE(at + 12));
    }
    if (type === END) return Buffer.concat([...kept, chunk]);
    if (SEVERAL.has(type) || (ONCE.has(type) && !seen.has(type))) kept.push(chunk);
    seen.add(type);
    at = end;
  }
  throw unsupportedPicture();
};
