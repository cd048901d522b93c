/** Hostile JPEGs. */
import { bytes, type Hostile, honest, phoneJpeg, plain, segment, u16 } from "../../support/pictures.ts";
import {
  HTML,
  hostile,
  MARKER,
  PHP,
  SIXTY,
  tellingSegments,
  withPlace,
  withSegments,
  zip,
} from "./marked.ts";

const COMMENT = segment(0xfe, Buffer.from(MARKER));

/** The frame of a JPEG with another kind, or another size. */
const reframed = (jpeg: Buffer, change: { kind?: number; width?: number; height?: number }): Buffer => {
  const copy = Buffer.from(jpeg);
  const at = copy.indexOf(bytes(0xff, 0xc0, 0));
  if (change.kind !== undefined) copy.writeUInt8(change.kind, at + 1);
  if (change.height !== undefined) copy.writeUInt16BE(change.height, at + 5);
  if (change.width !== undefined) copy.writeUInt16BE(change.width, at + 7);
  return copy;
};

/** A JPEG up to, without, one of its markers. */
const upTo = (jpeg: Buffer, marker: number): Buffer => jpeg.subarray(0, jpeg.indexOf(bytes(0xff, marker)));

export const JPEGS: readonly Hostile[] = [
  hostile("a JPEG that tells all it can", SIXTY, async () =>
    withSegments(await withPlace(plain()).jpeg().toBuffer(), ...(await tellingSegments())),
  ),
  hostile("a telephone's JPEG, with a film behind it", { width: 341, height: 512 }, async () =>
    Buffer.concat([await phoneJpeg(), Buffer.from(`\0\0\0\x18ftypmp42\0\0\0\0mp42isom${MARKER}`)]),
  ),
  hostile("a JPEG that is a ZIP too", SIXTY, async () => Buffer.concat([await honest.jpeg(), zip()])),
  hostile("a JPEG that is a PHAR too", SIXTY, async () =>
    withSegments(await honest.jpeg(), segment(0xfe, Buffer.concat([Buffer.from(PHP), zip()]))),
  ),
  hostile("a JPEG whose thumbnail is another picture", SIXTY, async () => {
    const thumbnail = withSegments(await plain(16, 16).jpeg().toBuffer(), COMMENT);
    const [ifd0, offset] = [8, 14];
    const ifd1 = ifd0 + 2 + 4;
    const at = ifd1 + 2 + 2 * 12 + 4;
    const long = (value: number): Buffer => Buffer.concat([u16(0), u16(value)]);
    const exif = Buffer.concat([
      Buffer.from("Exif\0\0MM\0*"),
      ...[long(ifd0), u16(0), long(ifd1), u16(2)],
      ...[u16(0x0201), u16(4), long(1), long(at)],
      ...[u16(0x0202), u16(4), long(1), long(thumbnail.length)],
      ...[long(0), thumbnail],
    ]);
    if (exif.length !== 6 + at + thumbnail.length || ifd1 !== offset)
      throw new Error("the offsets are wrong");
    return withSegments(await honest.jpeg(), segment(0xe1, exif));
  }),
  hostile("a JPEG with a second picture behind it, in its own index", SIXTY, async () =>
    Buffer.concat([
      withSegments(await honest.jpeg(), segment(0xe2, Buffer.from("MPF\0MM\0*\0\0\0\x08\0\0\0\0\0\0"))),
      withSegments(await honest.jpeg(), COMMENT),
    ]),
  ),
  hostile("a JPEG of four inks", SIXTY, async () =>
    withSegments(await plain().toColourspace("cmyk").jpeg().toBuffer(), COMMENT),
  ),
  hostile("a JPEG that comes step by step", SIXTY, async () =>
    withSegments(await plain().jpeg({ progressive: true }).toBuffer(), COMMENT),
  ),
  hostile("a JPEG of sixty comments of 64 KB", SIXTY, async () =>
    withSegments(await honest.jpeg(), ...Array<Buffer>(60).fill(segment(0xfe, Buffer.alloc(65_000, MARKER)))),
  ),
  hostile("a JPEG of 16,384 by 1", { width: 512, height: 1 }, async () =>
    withSegments(await plain(16_384, 1).jpeg().toBuffer(), COMMENT),
  ),
  hostile("a JPEG that says 50,000 by 50,000", 413, async () =>
    reframed(await honest.jpeg(), { width: 50_000, height: 50_000 }),
  ),
  hostile("a JPEG of no width", 415, async () => reframed(await honest.jpeg(), { width: 0 })),
  hostile("a JPEG whose height comes later", 415, async () => reframed(await honest.jpeg(), { height: 0 })),
  hostile("a JPEG without loss", 415, async () => reframed(await honest.jpeg(), { kind: 0xc3 })),
  hostile("a JPEG in steps of steps", 415, async () => reframed(await honest.jpeg(), { kind: 0xc5 })),
  hostile("a JPEG of beginning and end", 415, () => bytes(0xff, 0xd8, 0xff, 0xd9)),
  hostile("a JPEG that ends in its frame", 415, async () => upTo(await honest.jpeg(), 0xc4)),
  hostile("a JPEG that ends before its pixels", 415, async () => upTo(await honest.jpeg(), 0xda)),
  hostile("a JPEG whose pixels are HTML", SIXTY, async () => {
    const file = await honest.jpeg();
    const at = file.indexOf(bytes(0xff, 0xda)) + 14;
    return Buffer.concat([file.subarray(0, at), Buffer.from(HTML), bytes(0xff, 0xd9)]);
  }),
];
