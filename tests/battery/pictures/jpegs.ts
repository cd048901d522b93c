/** Hostile JPEGs. */
import { bytes, type Hostile, honest, phoneJpeg, plain, segment, u16 } from "../../support/pictures.ts";
import { HTML, PHP, TELLTALE, tellingSegments, withPlace, withSegments, zip } from "./telling.ts";

const SIXTY = { width: 60, height: 40 };

const COMMENT = segment(0xfe, Buffer.from(TELLTALE));

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
  {
    name: "a JPEG that tells all it can",
    file: async () => withSegments(await withPlace(plain()).jpeg().toBuffer(), ...(await tellingSegments())),
    becomes: SIXTY,
  },
  {
    name: "a telephone's JPEG, with a film behind it",
    file: async () =>
      Buffer.concat([await phoneJpeg(), Buffer.from(`\0\0\0\x18ftypmp42\0\0\0\0mp42isom${TELLTALE}`)]),
    becomes: { width: 341, height: 512 },
  },
  {
    name: "a JPEG that is a ZIP too",
    file: async () => Buffer.concat([await honest.jpeg(), zip()]),
    becomes: SIXTY,
  },
  {
    name: "a JPEG that is a PHAR too",
    file: async () =>
      withSegments(await honest.jpeg(), segment(0xfe, Buffer.concat([Buffer.from(PHP), zip()]))),
    becomes: SIXTY,
  },
  {
    name: "a JPEG whose thumbnail is another picture",
    file: async () => {
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
    },
    becomes: SIXTY,
  },
  {
    name: "a JPEG with a second picture behind it, in its own index",
    file: async () =>
      Buffer.concat([
        withSegments(await honest.jpeg(), segment(0xe2, Buffer.from("MPF\0MM\0*\0\0\0\x08\0\0\0\0\0\0"))),
        withSegments(await honest.jpeg(), COMMENT),
      ]),
    becomes: SIXTY,
  },
  {
    name: "a JPEG of four inks",
    file: async () => withSegments(await plain().toColourspace("cmyk").jpeg().toBuffer(), COMMENT),
    becomes: SIXTY,
  },
  {
    name: "a JPEG that comes step by step",
    file: async () => withSegments(await plain().jpeg({ progressive: true }).toBuffer(), COMMENT),
    becomes: SIXTY,
  },
  {
    name: "a JPEG of sixty comments of 64 KB",
    file: async () =>
      withSegments(
        await honest.jpeg(),
        ...Array<Buffer>(60).fill(segment(0xfe, Buffer.alloc(65_000, TELLTALE))),
      ),
    becomes: SIXTY,
  },
  {
    name: "a JPEG of 16,384 by 1",
    file: async () => withSegments(await plain(16_384, 1).jpeg().toBuffer(), COMMENT),
    becomes: { width: 512, height: 1 },
  },
  {
    name: "a JPEG that says 50,000 by 50,000",
    file: async () => reframed(await honest.jpeg(), { width: 50_000, height: 50_000 }),
    becomes: 413,
  },
  { name: "a JPEG of no width", file: async () => reframed(await honest.jpeg(), { width: 0 }), becomes: 415 },
  {
    name: "a JPEG whose height comes later",
    file: async () => reframed(await honest.jpeg(), { height: 0 }),
    becomes: 415,
  },
  {
    name: "a JPEG without loss",
    file: async () => reframed(await honest.jpeg(), { kind: 0xc3 }),
    becomes: 415,
  },
  {
    name: "a JPEG in steps of steps",
    file: async () => reframed(await honest.jpeg(), { kind: 0xc5 }),
    becomes: 415,
  },
  { name: "a JPEG of beginning and end", file: () => bytes(0xff, 0xd8, 0xff, 0xd9), becomes: 415 },
  { name: "a JPEG that ends in its frame", file: async () => upTo(await honest.jpeg(), 0xc4), becomes: 415 },
  {
    name: "a JPEG that ends before its pixels",
    file: async () => upTo(await honest.jpeg(), 0xda),
    becomes: 415,
  },
  {
    name: "a JPEG whose pixels are HTML",
    file: async () => {
      const file = await honest.jpeg();
      const at = file.indexOf(bytes(0xff, 0xda)) + 14;
      return Buffer.concat([file.subarray(0, at), Buffer.from(HTML), bytes(0xff, 0xd9)]);
    },
    becomes: SIXTY,
  },
];
