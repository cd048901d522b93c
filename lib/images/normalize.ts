/**
 * Examines the file that a player sends as a picture, before it is decoded: what it is, how large it says that it is, and
 * what in it could make decoding expensive.
 */
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

interface Kind {
  format: Format;
  is: (bytes: Buffer) => boolean;
  /** The bytes to decode, without the parts that the picture does not need. @throws DomainError */
  prepare: (bytes: Buffer) => Buffer;
}

const text = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to);

const KINDS: readonly Kind[] = [
  {
    format: "png",
    is: (bytes) => PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length)),
    prepare: preparePng,
  },
  { format: "jpeg", is: (bytes) => text(bytes, 0, 3) === "\xff\xd8\xff", prepare: prepareJpeg },
  {
    format: "webp",
    is: (bytes) => text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP",
    prepare: prepareWebp,
  },
  { format: "gif", is: (bytes) => /^GIF8[79]a$/.test(text(bytes, 0, 6)), prepare: prepareGif },
  { format: "heif", is: isAvif, prepare: prepareAvif },
];

/**
 * Examines a file by its first bytes and its header. It is not decoded.
 * @throws DomainError `unsupported_media_type` when it is no PNG, JPEG, WebP, GIF or AVIF, judged by its bytes; `too_large`
 *   when its header names too many pixels, in all or on a side
 */
export const examinePicture = (given: Uint8Array): PictureFile => {
  const file = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const kind = KINDS.find(({ is }) => is(file));
  if (kind === undefined) throw unsupportedPicture();
  return { format: kind.format, bytes: kind.prepare(file) };
};
