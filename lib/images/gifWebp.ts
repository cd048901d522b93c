/** GIF and WebP: checks the size in the header. */
import { requireDimensions } from "./limits.ts";

/** Returns the GIF unchanged. @throws DomainError `too_large` for its logical screen */
export const prepareGif = (bytes: Buffer): Buffer => {
  if (bytes.length >= 10) requireDimensions(bytes.readUInt16LE(6), bytes.readUInt16LE(8));
  return bytes;
};

/** The width and height of an extended, lossless or simple WebP (RFC 9649, sections 2.5 to 2.7). */
const sizeOf = (bytes: Buffer): [width: number, height: number] => {
  const type = bytes.toString("latin1", 12, 16);
  if (type === "VP8X") return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (type === "VP8L") {
    const bits = bytes.readUInt32LE(21);
    return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
  }
  return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
};

/** Returns the WebP unchanged. @throws DomainError `too_large` for its canvas */
export const prepareWebp = (bytes: Buffer): Buffer => {
  if (bytes.length >= 30) requireDimensions(...sizeOf(bytes));
  return bytes;
};
