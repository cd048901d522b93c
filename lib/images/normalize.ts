/** Examines an uploaded picture before it is decoded: its format, its size, and what would make decoding expensive. */
import { isAvif, prepareAvif } from "./avif.ts";
import { prepareGif, prepareWebp } from "./gifWebp.ts";
import { prepareJpeg } from "./jpeg.ts";
import { unsupportedPicture } from "./limits.ts";
import { PNG_SIGNATURE, preparePng } from "./png.ts";
import type { Format } from "./sharp.ts";

/** A file that may be decoded. */
export interface PictureFile {
  format: Format;
  bytes: Buffer;
}

interface FormatCheck {
  format: Format;
  matches: (bytes: Buffer) => boolean;
  /** Returns the bytes to decode, without unneeded parts. @throws DomainError */
  prepare: (bytes: Buffer) => Buffer;
}

const text = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to);

const FORMATS: readonly FormatCheck[] = [
  {
    format: "png",
    matches: (bytes) => PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length)),
    prepare: preparePng,
  },
  { format: "jpeg", matches: (bytes) => text(bytes, 0, 3) === "\xff\xd8\xff", prepare: prepareJpeg },
  {
    format: "webp",
    matches: (bytes) => text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP",
    prepare: prepareWebp,
  },
  { format: "gif", matches: (bytes) => /^GIF8[79]a$/.test(text(bytes, 0, 6)), prepare: prepareGif },
  { format: "heif", matches: isAvif, prepare: prepareAvif },
];

/**
 * Examines a file by its first bytes and its header, without decoding it.
 * @throws DomainError `unsupported_media_type` for another format, a truncated PNG or a malformed AVIF; `too_large` for
 *   too many pixels, in total or on a side, and for a JPEG with too many scans
 */
export const examinePicture = (bytes: Uint8Array): PictureFile => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const format = FORMATS.find(({ matches }) => matches(file));
  if (format === undefined) throw unsupportedPicture();
  return { format: format.format, bytes: format.prepare(file) };
};
