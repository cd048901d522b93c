/**
 * Recognizes an uploaded picture by its first bytes, and reads its size where the header states it, so that most files that
 * are not accepted start no decoder. The decoder itself decides about everything else (lib/images/sharp.ts).
 */
import { requireDimensions, unsupportedPicture } from "./limits.ts";
import type { Format } from "./sharp.ts";

/** A file that may be decoded. */
export interface PictureFile {
  format: Format;
  bytes: Buffer;
}

type Size = readonly [width: number, height: number];

interface FormatCheck {
  format: Format;
  matches: (bytes: Buffer) => boolean;
  /** The sizes that the header states. @throws RangeError when the file ends in its header */
  sizes: (bytes: Buffer) => Iterable<Size>;
  /** Returns the bytes to decode; the file by default. */
  prepare?: (bytes: Buffer) => Buffer;
}

const text = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to);

const PNG_SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const PNG_CHUNKS = /^(IHDR|PLTE|IDAT|IEND|tRNS|sRGB|gAMA|cHRM|iCCP|eXIf)$/;
/** Bytes of a chunk's length, type and checksum. */
const CHUNK_OVERHEAD_BYTES = 12;

/** A PNG with only the chunks of the picture: libvips unpacks texts into memory before it tells the size. */
const withoutTexts = (bytes: Buffer): Buffer => {
  const kept: Buffer[] = [PNG_SIGNATURE];
  for (let at = PNG_SIGNATURE.length; at + CHUNK_OVERHEAD_BYTES <= bytes.length; ) {
    const end = at + CHUNK_OVERHEAD_BYTES + bytes.readUInt32BE(at);
    if (PNG_CHUNKS.test(text(bytes, at + 4, at + 8))) kept.push(bytes.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
};

/** The size in the frame header of a JPEG, to which the lengths of the segments lead (ITU-T T.81, B.1.1). */
function* jpegSizes(bytes: Buffer): Generator<Size> {
  for (let at = 2; at + 9 <= bytes.length; at += 2 + bytes.readUInt16BE(at + 2)) {
    const marker = bytes.readUInt16BE(at);
    if (marker < 0xffc0 || marker === 0xffff) return;
    // Three markers of the range have another meaning.
    if (marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker))
      return yield [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  }
}

/** The size of an extended, lossless or simple WebP (RFC 9649, sections 2.5 to 2.7). */
const webpSize = (bytes: Buffer): Size => {
  const type = text(bytes, 12, 16);
  if (type === "VP8X") return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (type !== "VP8L") return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  const bits = bytes.readUInt32LE(21);
  return [(bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1];
};

const isAvif = (bytes: Buffer): boolean => {
  if (bytes.length < 16 || text(bytes, 4, 8) !== "ftyp") return false;
  const brands = text(bytes, 8, Math.min(bytes.readUInt32BE(0), bytes.length));
  return (brands.match(/.{4}/gs) ?? []).some((brand) => brand === "avif" || brand === "avis");
};

/** The sizes of the images and tiles of an AVIF, which precede its pixels. */
function* avifSizes(bytes: Buffer): Generator<Size> {
  const header = bytes.subarray(0, bytes.indexOf("mdat"));
  for (let at = header.indexOf("ispe"); at >= 0; at = header.indexOf("ispe", at + 4))
    yield [header.readUInt32BE(at + 8), header.readUInt32BE(at + 12)];
}

const FORMATS: readonly FormatCheck[] = [
  {
    format: "png",
    matches: (bytes) => PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length)),
    sizes: (bytes) => [[bytes.readUInt32BE(16), bytes.readUInt32BE(20)]],
    prepare: withoutTexts,
  },
  { format: "jpeg", matches: (bytes) => text(bytes, 0, 3) === "\xff\xd8\xff", sizes: jpegSizes },
  {
    format: "webp",
    matches: (bytes) => text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP",
    sizes: (bytes) => [webpSize(bytes)],
  },
  {
    format: "gif",
    matches: (bytes) => /^GIF8[79]a$/.test(text(bytes, 0, 6)),
    sizes: (bytes) => [[bytes.readUInt16LE(6), bytes.readUInt16LE(8)]],
  },
  { format: "heif", matches: isAvif, sizes: avifSizes },
];

/**
 * Examines a file by its first bytes and its header, without decoding it.
 * @throws DomainError `unsupported_media_type` for another format, or a file that ends in its header; `too_large` for too
 *   many pixels, in total or on a side
 */
export const examinePicture = (given: Uint8Array): PictureFile => {
  const bytes = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const found = FORMATS.find(({ matches }) => matches(bytes));
  if (found === undefined) throw unsupportedPicture();
  const { format, sizes, prepare } = found;
  try {
    for (const [width, height] of sizes(bytes)) requireDimensions(width, height);
  } catch (error) {
    throw error instanceof RangeError ? unsupportedPicture() : error;
  }
  return { format, bytes: prepare?.(bytes) ?? bytes };
};
