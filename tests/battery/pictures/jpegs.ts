/** Hostile JPEGs. */
import {
  bytes,
  COMMENT,
  type Hostile,
  honest,
  hostile,
  patched,
  phoneJpeg,
  plain,
  segment,
  u16,
  u32,
  withSegments,
} from "../../support/pictures.ts";
import { HTML, MARKER, PHP, SIXTY, tellingSegments, withPlace, zip } from "./marked.ts";

const TOLD = segment(COMMENT, MARKER);

const FRAME = bytes(0xff, 0xc0, 0);

/** A JPEG with other bytes in its frame header. @param at the offset after the marker's first byte */
const reframed = async (at: 1 | 5 | 7, ...others: (number | Buffer)[]): Promise<Buffer> => {
  const jpeg = withSegments(await honest.jpeg(), TOLD);
  return patched(jpeg, jpeg.indexOf(FRAME) + at, ...others);
};

/** A JPEG up to, without, one of its markers. */
const upTo = (jpeg: Buffer, marker: number): Buffer => jpeg.subarray(0, jpeg.indexOf(bytes(0xff, marker)));

/** Exif whose second directory has a thumbnail, at byte 44. */
const exifOf = (thumbnail: Buffer): Buffer => {
  const [first, second] = [u32(8), u32(14)];
  const place = bytes(u16(0x0201), u16(4), u32(1), u32(44));
  const length = bytes(u16(0x0202), u16(4), u32(1), u32(thumbnail.length));
  return bytes("Exif\0\0MM\0*", first, u16(0), second, u16(2), place, length, u32(0), thumbnail);
};

export const JPEGS: readonly Hostile[] = [
  ...hostile(SIXTY, {
    "a JPEG that tells all it can": async () =>
      withSegments(await withPlace(plain()).jpeg().toBuffer(), ...(await tellingSegments())),
    "a JPEG that is a ZIP too": async () => bytes(await honest.jpeg(), await zip()),
    "a JPEG that is a PHAR too": async () =>
      withSegments(await honest.jpeg(), segment(COMMENT, PHP, await zip())),
    "a JPEG whose thumbnail is another picture": async () => {
      const thumbnail = withSegments(await plain(16, 16).jpeg().toBuffer(), TOLD);
      return withSegments(await honest.jpeg(), segment(0xe1, exifOf(thumbnail)));
    },
    "a JPEG with a second picture behind it, in its own index": async () =>
      bytes(
        withSegments(await honest.jpeg(), segment(0xe2, "MPF\0MM\0*\0\0\0\x08\0\0\0\0\0\0")),
        withSegments(await honest.jpeg(), TOLD),
      ),
    "a JPEG of four inks": async () =>
      withSegments(await plain().toColourspace("cmyk").jpeg().toBuffer(), TOLD),
    "a JPEG that comes step by step": async () =>
      withSegments(await plain().jpeg({ progressive: true }).toBuffer(), TOLD),
    "a JPEG of sixty comments of 64 KB": async () => {
      const comment = segment(COMMENT, Buffer.alloc(65_000, MARKER));
      return withSegments(await honest.jpeg(), ...Array<Buffer>(60).fill(comment));
    },
    "a JPEG whose pixels are HTML": async () => {
      const file = await honest.jpeg();
      return bytes(file.subarray(0, file.indexOf(bytes(0xff, 0xda)) + 14), HTML, 0xff, 0xd9);
    },
  }),
  ...hostile(
    { width: 341, height: 512 },
    {
      "a telephone's JPEG, with a film behind it": async () =>
        bytes(await phoneJpeg(), `\0\0\0\x18ftypmp42\0\0\0\0mp42isom${MARKER}`),
    },
  ),
  ...hostile(
    { width: 512, height: 1 },
    {
      "a JPEG of 16,384 by 1": async () => withSegments(await plain(16_384, 1).jpeg().toBuffer(), TOLD),
    },
  ),
  ...hostile(413, { "a JPEG that says 50,000 by 50,000": () => reframed(5, u16(50_000), u16(50_000)) }),
  ...hostile(415, {
    "a JPEG of no width": () => reframed(7, u16(0)),
    "a JPEG whose height comes later": () => reframed(5, u16(0)),
    "a JPEG without loss": () => reframed(1, 0xc3),
    "a JPEG in steps of steps": () => reframed(1, 0xc5),
    "a JPEG of beginning and end": () => bytes(0xff, 0xd8, 0xff, 0xd9),
    "a JPEG that ends in its frame": async () => upTo(await honest.jpeg(), 0xc4),
    "a JPEG that ends before its pixels": async () => upTo(await honest.jpeg(), 0xda),
  }),
];
