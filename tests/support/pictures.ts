/** Pictures, honest and hostile: made here, byte by byte where no encoder would. */
import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";

export const bytes = (...values: number[]): Buffer => Buffer.from(values);

export const u16 = (value: number): Buffer => {
  const buffer = Buffer.alloc(2);
  buffer.writeUInt16BE(value);
  return buffer;
};

export const u32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
};

/** What an encoder of one's own choice makes of a plain picture. */
export const plain = (width = 60, height = 40, channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 80, b: 40, alpha: 0.5 } } });

/** One honest picture of each kind that is taken. */
export const honest = {
  png: () => plain().png().toBuffer(),
  jpeg: () => plain().jpeg().toBuffer(),
  webp: () => plain(60, 40, 4).webp().toBuffer(),
  gif: () => plain().gif().toBuffer(),
  avif: () => plain().avif({ effort: 0 }).toBuffer(),
};

export const PNG_SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** A chunk of a PNG, with its checksum. */
export const chunk = (type: string, data: Buffer = Buffer.alloc(0)): Buffer => {
  const named = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([u32(data.length), named, u32(crc32(named))]);
};

/** A black PNG with one bit for a pixel, and whatever other chunks before the pixels. */
export const blackPng = (width: number, height: number, extra: Buffer[] = [], rows = height): Buffer =>
  Buffer.concat([
    PNG_SIGNATURE,
    chunk("IHDR", Buffer.concat([u32(width), u32(height), bytes(1, 0, 0, 0, 0)])),
    ...extra,
    chunk("IDAT", deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * rows), { level: 9 })),
    chunk("IEND"),
  ]);

/** A compressed text that unpacks to 8 MB. */
const textChunk = (() => {
  let packed: Buffer | undefined;
  return (name: string): Buffer => {
    packed ??= deflateSync(Buffer.alloc(7_900_000, "A"), { level: 9 });
    return chunk("zTXt", Buffer.concat([Buffer.from(`${name}\0\0`), packed]));
  };
})();

/** 4 GB of texts in under 4 MiB. */
export const pngOfTexts = (): Buffer =>
  blackPng(
    8,
    8,
    Array.from({ length: 500 }, (_, at) => textChunk(`text ${at}`)),
  );

/** A segment of a JPEG. */
export const segment = (marker: number, data: Buffer): Buffer =>
  Buffer.concat([bytes(0xff, marker), u16(data.length + 2), data]);

const APP1 = 0xe1;
const COMMENT = 0xfe;

/** One entry of a TIFF directory, big-endian: tag, type, count, and four bytes of value or where it is. */
const entry = (tag: number, type: number, count: number, value: Buffer): Buffer =>
  Buffer.concat([u16(tag), u16(type), u32(count), Buffer.concat([value, Buffer.alloc(4)]).subarray(0, 4)]);

/** 47° 22' 36" N 8° 32' 30" E, turned by 90°, from a "GeoPhone": as a phone writes it. */
const exifOf = (orientation: number): Buffer => {
  const ASCII = 2;
  const [SHORT, LONG, RATIONAL] = [3, 4, 5];
  const first = 8;
  const make = first + 2 + 3 * 12 + 4;
  const gps = make + 10;
  const latitude = gps + 2 + 4 * 12 + 4;
  const rational = (...parts: number[]): Buffer =>
    Buffer.concat(parts.flatMap((part) => [u32(part), u32(1)]));
  return Buffer.concat([
    Buffer.from("Exif\0\0MM\0*", "latin1"),
    u32(first),
    u16(3),
    entry(0x010f, ASCII, 9, u32(make)),
    entry(0x0112, SHORT, 1, u16(orientation)),
    entry(0x8825, LONG, 1, u32(gps)),
    u32(0),
    Buffer.from("GeoPhone\0\0"),
    u16(4),
    entry(1, ASCII, 2, Buffer.from("N\0")),
    entry(2, RATIONAL, 3, u32(latitude)),
    entry(3, ASCII, 2, Buffer.from("E\0")),
    entry(4, RATIONAL, 3, u32(latitude + 24)),
    u32(0),
    rational(47, 22, 36),
    rational(8, 32, 30),
  ]);
};

/** What must not come out of a phone's picture again. */
export const TRACES = ["Exif", "GeoPhone", "Bahnhofstrasse", "a comment of Ada's", "ICC_PROFILE", "xpacket"];

/** A phone's picture: red left and blue right as stored, to be turned by 90°, with all that a phone tells. */
export const phoneJpeg = async (orientation = 6): Promise<Buffer> => {
  const half = await plain(300, 400).png().toBuffer();
  const stored = await sharp({ create: { width: 600, height: 400, channels: 3, background: "#00f" } })
    .composite([
      { input: await sharp(half).flatten({ background: "#f00" }).tint("#f00").toBuffer(), left: 0, top: 0 },
    ])
    .withIccProfile("p3")
    .jpeg({ quality: 95 })
    .toBuffer();
  const place = `<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">Bahnhofstrasse</x:xmpmeta>`;
  return Buffer.concat([
    stored.subarray(0, 2),
    segment(APP1, exifOf(orientation)),
    segment(APP1, Buffer.from(`http://ns.adobe.com/xap/1.0/\0${place}`)),
    segment(COMMENT, Buffer.from("a comment of Ada's")),
    stored.subarray(2),
  ]);
};

/**
 * A black progressive JPEG of so many pixels a side, whose every scan goes over all of them in 60 bytes: no encoder
 * writes so many, and none of them is wrong.
 */
export const jpegOfScans = (side: number, scans: number): Buffer => {
  const blocks = Math.ceil(side / 8) ** 2;
  // Runs of blocks without anything in them: the code "0", and fourteen bits for their number beyond 2^14.
  const least = 2 ** 14;
  let bits = "";
  for (let left = blocks; left > 0; left -= 2 * least - 2) {
    bits += `0${(Math.max(Math.min(left, 2 * least - 2), least) - least).toString(2).padStart(14, "0")}`;
  }
  const run = (bits.match(/.{1,8}/g) ?? []).flatMap((octet) => {
    const value = Number.parseInt(octet.padEnd(8, "1"), 2);
    return value === 0xff ? [value, 0] : [value];
  });
  const table = (of: number, symbol: number): Buffer =>
    segment(0xc4, bytes(of, 1, ...Array<number>(15).fill(0), symbol));
  const ofCoefficient = (at: number): Buffer => {
    const [coefficient, refinement] = [1 + (at % 63), Math.floor(at / 63)];
    const [high, low] = refinement === 0 ? [0, 13] : [14 - refinement, 13 - refinement];
    const header = bytes(1, 1, 0, coefficient, coefficient, (high << 4) | low);
    return Buffer.concat([segment(0xda, header), bytes(...run)]);
  };
  return Buffer.concat([
    bytes(0xff, 0xd8),
    segment(0xdb, Buffer.concat([bytes(0), Buffer.alloc(64, 1)])),
    segment(0xc2, Buffer.concat([bytes(8), u16(side), u16(side), bytes(1, 1, 0x11, 0)])),
    table(0x00, 0),
    table(0x10, 0xe0),
    segment(0xda, bytes(1, 1, 0, 0, 0, 0)),
    Buffer.alloc(Math.ceil(blocks / 8)),
    ...Array.from({ length: scans - 1 }, (_, at) => ofCoefficient(at)),
    bytes(0xff, 0xd9),
  ]);
};

/** A JPEG of 49 megapixels that no bound refuses, and that a processor has over a second of work with. */
export const slowJpeg = (): Buffer => jpegOfScans(7_000, 100);

/** A PNG of 97 KB whose one column has 50 million pixels. */
export const tallPng = (() => {
  let made: Buffer | undefined;
  return (): Buffer => {
    made ??= blackPng(1, 50_000_000);
    return made;
  };
})();

/** A GIF with a screen and frames of any size, each frame a single black dot. */
export const dotGif = (screen: number, frame: number, frames = 1): Buffer => {
  const le = (value: number): Buffer => bytes(value & 0xff, value >> 8);
  const one = Buffer.concat([bytes(0x2c, 0, 0, 0, 0), le(frame), le(frame), bytes(0, 2, 2, 0x4c, 1, 0)]);
  return Buffer.concat([
    Buffer.from("GIF89a"),
    le(screen),
    le(screen),
    bytes(0x80, 0, 0, 0, 0, 0, 255, 255, 255),
    ...Array<Buffer>(frames).fill(one),
    bytes(0x3b),
  ]);
};

/** A WebP whose header alone is there: an extended one with a canvas of this size. */
export const emptyWebp = (width: number, height: number): Buffer => {
  const u24 = (value: number): Buffer => bytes(value & 0xff, (value >> 8) & 0xff, value >> 16);
  const body = Buffer.concat([
    Buffer.from("WEBPVP8X"),
    bytes(10, 0, 0, 0, 0, 0, 0, 0),
    u24(width - 1),
    u24(height - 1),
  ]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(body.length);
  return Buffer.concat([Buffer.from("RIFF"), size, body]);
};

/** An ISO box; `full` ones begin with a version and flags. */
export const box = (type: string, ...data: Buffer[]): Buffer => {
  const all = Buffer.concat(data);
  return Buffer.concat([u32(8 + all.length), Buffer.from(type, "latin1"), all]);
};
const full = (type: string, version: number, ...data: Buffer[]): Buffer =>
  box(type, u32(version * 2 ** 24), ...data);

const boxIn = (file: Buffer, type: string): Buffer => {
  const at = file.indexOf(type) - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
};

interface Tiling {
  /** Side of a tile in pixels, as it is and as it is said to be. */
  tile: number;
  said?: number;
  rows: number;
  columns: number;
  /** Side of the whole, and as the plan of the tiles has it. */
  side: number;
  planned?: number;
}

/** An AVIF that is put together of one and the same tile, again and again. */
export const tiledAvif = async ({
  tile,
  said = tile,
  rows,
  columns,
  side,
  planned = side,
}: Tiling): Promise<Buffer> => {
  const [TILE, WHOLE] = [u16(1), u16(2)];
  const one = await plain(tile, tile).avif({ effort: 0, quality: 30 }).toBuffer();
  const pixels = boxIn(one, "mdat").subarray(8);
  const plan = Buffer.concat([bytes(0, 1, rows - 1, columns - 1), u32(planned), u32(planned)]);
  const size = (of: number): Buffer => full("ispe", 0, u32(of), u32(of));
  const item = (id: Buffer, type: string): Buffer =>
    full("infe", 2, id, u16(0), Buffer.from(`${type}\0`, "latin1"));
  const metaAt = (offset: number): Buffer =>
    full(
      "meta",
      0,
      full("hdlr", 0, u32(0), Buffer.from("pict"), Buffer.alloc(13)),
      full("pitm", 0, WHOLE),
      full(
        "iloc",
        1,
        bytes(0x44, 0, 0, 2),
        ...[TILE, u16(0), u16(0), u16(1), u32(offset), u32(pixels.length)],
        ...[WHOLE, u16(1), u16(0), u16(1), u32(0), u32(plan.length)],
      ),
      full("iinf", 0, u16(2), item(TILE, "av01"), item(WHOLE, "grid")),
      full("iref", 0, box("dimg", WHOLE, u16(rows * columns), ...Array<Buffer>(rows * columns).fill(TILE))),
      box(
        "iprp",
        box("ipco", boxIn(one, "av1C"), size(said), boxIn(one, "pixi"), size(side)),
        full("ipma", 0, u32(2), TILE, bytes(3, 0x81, 2, 3), WHOLE, bytes(2, 4, 3)),
      ),
      box("idat", plan),
    );
  const head = box("ftyp", Buffer.from("avif\0\0\0\0avifmif1miaf", "latin1"));
  const before = head.length + metaAt(0).length + 8;
  return Buffer.concat([head, metaAt(before), box("mdat", pixels)]);
};

/** An AVIF with another size in its header than it has. */
export const lyingAvif = async (side: number, said: number): Promise<Buffer> => {
  const file = await plain(side, side).avif({ effort: 0, quality: 30 }).toBuffer();
  const at = file.indexOf("ispe");
  file.writeUInt32BE(said, at + 8);
  file.writeUInt32BE(said, at + 12);
  return file;
};

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>`;
const HTML = `<html><script>alert("kept")</script></html>`;
const PDF = `%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF`;

/** A file, and what is to become of it: a refusal, or a picture of this size. */
export interface Hostile {
  name: string;
  file: () => Buffer | Promise<Buffer>;
  becomes: 400 | 413 | 415 | { width: number; height: number };
}

const cut = async (file: Promise<Buffer>, share: number): Promise<Buffer> => {
  const whole = await file;
  return whole.subarray(0, Math.floor(whole.length * share));
};

const spoilt = async (file: Promise<Buffer>, at: number, value: number): Promise<Buffer> => {
  const copy = Buffer.from(await file);
  copy.writeUInt8(value, at);
  return copy;
};

export const HOSTILE: readonly Hostile[] = [
  { name: "nothing", file: () => Buffer.alloc(0), becomes: 400 },
  { name: "a single byte", file: () => bytes(0x89), becomes: 415 },
  { name: "random bytes", file: () => randomBytes(5_000), becomes: 415 },
  { name: "a text", file: () => Buffer.from("Hello"), becomes: 415 },
  { name: "JSON", file: () => Buffer.from('{"image":"x"}'), becomes: 415 },
  { name: "HTML", file: () => Buffer.from(HTML), becomes: 415 },
  { name: "an SVG that reads a file", file: () => Buffer.from(SVG), becomes: 415 },
  { name: "an SVG with an XML header", file: () => Buffer.from(`<?xml version="1.0"?>${SVG}`), becomes: 415 },
  { name: "a PDF", file: () => Buffer.from(PDF), becomes: 415 },
  { name: "a TIFF", file: () => plain().tiff().toBuffer(), becomes: 415 },
  {
    name: "a big-endian TIFF",
    file: () => Buffer.concat([Buffer.from("MM\0*"), u32(8), u16(0)]),
    becomes: 415,
  },
  { name: "bare pixels", file: () => plain().raw().toBuffer(), becomes: 415 },
  {
    name: "a libvips file",
    file: () => Buffer.concat([bytes(8, 0xf2, 0xa6, 0xb6), Buffer.alloc(60)]),
    becomes: 415,
  },
  { name: "a JPEG XL", file: () => bytes(0xff, 0x0a, 0xfa, 0x1f, 0x01, 0x91), becomes: 415 },
  {
    name: "a JPEG XL in a box",
    file: () => Buffer.from("0000000c4a584c200d0a870a", "hex"),
    becomes: 415,
  },
  { name: "a JPEG 2000", file: () => Buffer.from("0000000c6a5020200d0a870a", "hex"), becomes: 415 },
  { name: "a BMP", file: () => Buffer.concat([Buffer.from("BM"), Buffer.alloc(60)]), becomes: 415 },
  { name: "an icon", file: () => Buffer.from("00000100010010100000", "hex"), becomes: 415 },
  { name: "a PPM", file: () => Buffer.from("P6 1 1 255\nabc"), becomes: 415 },
  { name: "a PSD", file: () => Buffer.concat([Buffer.from("8BPS"), Buffer.alloc(60)]), becomes: 415 },
  {
    name: "a FITS file",
    file: () => Buffer.from("SIMPLE  =                    T".padEnd(2_880)),
    becomes: 415,
  },
  { name: "a Radiance file", file: () => Buffer.from("#?RADIANCE\n\n-Y 1 +X 1\nabcd"), becomes: 415 },
  { name: "a CSV of numbers", file: () => Buffer.from("1,2,3\n4,5,6\n"), becomes: 415 },
  {
    name: "an ImageMagick script",
    file: () => Buffer.from("push graphic-context\nimage over 0,0 1,1 'https://x'"),
    becomes: 415,
  },
  {
    name: "a HEIC",
    file: async () => {
      const file = Buffer.from(await honest.avif());
      const heads = file.subarray(0, file.readUInt32BE(0));
      heads.write(heads.toString("latin1").replaceAll("avif", "heic"), "latin1");
      return file;
    },
    becomes: 415,
  },
  {
    name: "a HEIC that calls itself AVIF",
    file: async () => {
      const file = Buffer.from(await honest.avif());
      file.write("hvc1", file.indexOf("av01"), "latin1");
      return file;
    },
    becomes: 415,
  },
  { name: "a video", file: () => box("ftyp", Buffer.from("isom\0\0\0\0isommp42", "latin1")), becomes: 415 },
  {
    name: "an AVIF of nothing but its first box",
    file: () => box("ftyp", Buffer.from("avif\0\0\0\0avifmif1", "latin1")),
    becomes: 415,
  },
  { name: "an AVIF whose boxes do not end", file: async () => spoilt(honest.avif(), 28, 0x7f), becomes: 415 },
  { name: "an AVIF that is larger than it says", file: () => lyingAvif(2_000, 64), becomes: 415 },
  {
    name: "an AVIF of 256 tiles, all but a corner cut away",
    file: () => tiledAvif({ tile: 1_024, rows: 16, columns: 16, side: 64 }),
    becomes: 413,
  },
  {
    name: "an AVIF of tiles that are larger than they say",
    file: () => tiledAvif({ tile: 1_024, said: 64, rows: 16, columns: 16, side: 64 }),
    becomes: 415,
  },
  {
    name: "an AVIF of four tiles that plans to be larger than it says",
    file: () => tiledAvif({ tile: 128, rows: 2, columns: 2, side: 256, planned: 20_000 }),
    becomes: 415,
  },
  {
    name: "an AVIF of four tiles",
    file: () => tiledAvif({ tile: 128, rows: 2, columns: 2, side: 256 }),
    becomes: { width: 256, height: 256 },
  },
  { name: "a PNG of 20,000 by 20,000 in 48 KB", file: () => blackPng(20_000, 20_000), becomes: 413 },
  {
    name: "a PNG whose header says 2 billion by 2 billion",
    file: () => blackPng(2 ** 31 - 1, 2 ** 31 - 1, [], 1),
    becomes: 413,
  },
  {
    name: "a PNG whose header says a million by a million",
    file: () => blackPng(1e6, 1e6, [], 1),
    becomes: 413,
  },
  { name: "a PNG of 1 by 50 million in 97 KB", file: tallPng, becomes: 413 },
  { name: "a PNG of no width", file: () => blackPng(0, 5), becomes: 415 },
  { name: "a PNG of 4 GB of texts", file: pngOfTexts, becomes: { width: 8, height: 8 } },
  { name: "a PNG of one dot", file: () => blackPng(1, 1), becomes: { width: 1, height: 1 } },
  {
    name: "a PNG with HTML behind it",
    file: () => Buffer.concat([blackPng(9, 9), Buffer.from(HTML)]),
    becomes: { width: 9, height: 9 },
  },
  {
    name: "a PNG with HTML in a text",
    file: () => blackPng(9, 9, [chunk("tEXt", Buffer.from(`x\0${HTML}`))]),
    becomes: { width: 9, height: 9 },
  },
  {
    name: "HTML with the head of a PNG",
    file: () => Buffer.concat([PNG_SIGNATURE, Buffer.from(HTML)]),
    becomes: 415,
  },
  {
    name: "HTML with the head and header of a PNG",
    file: () => Buffer.concat([blackPng(9, 9).subarray(0, 33), Buffer.from(HTML)]),
    becomes: 415,
  },
  {
    name: "HTML with the head of a JPEG",
    file: () => Buffer.concat([bytes(0xff, 0xd8, 0xff), Buffer.from(HTML)]),
    becomes: 415,
  },
  { name: "HTML with the head of a GIF", file: () => Buffer.from(`GIF89a/*${HTML}*/`), becomes: 413 },
  {
    name: "HTML with the head of a WebP",
    file: () => Buffer.from(`RIFF\x20\0\0\0WEBPVP8 ${HTML}`, "latin1"),
    becomes: 413,
  },
  { name: "half a PNG", file: () => cut(honest.png(), 0.5), becomes: 415 },
  { name: "half a JPEG", file: () => cut(phoneJpeg(), 0.5), becomes: 415 },
  { name: "half a WebP", file: () => cut(honest.webp(), 0.5), becomes: 415 },
  { name: "half a GIF", file: () => cut(honest.gif(), 0.5), becomes: 415 },
  { name: "half an AVIF", file: () => cut(honest.avif(), 0.5), becomes: 415 },
  { name: "a PNG with a wrong checksum", file: () => spoilt(honest.png(), 30, 0x55), becomes: 415 },
  {
    name: "a JPEG of 65,535 by 65,535 with nothing in it",
    file: () => {
      const file = jpegOfScans(8, 1);
      const at = file.indexOf(bytes(0xff, 0xc2)) + 5;
      file.writeUInt32BE(0xffff_ffff, at);
      return file;
    },
    becomes: 413,
  },
  { name: "a JPEG of 49 megapixels in 800 scans", file: () => jpegOfScans(7_000, 800), becomes: 413 },
  { name: "a GIF with a frame of 65,535 by 65,535", file: () => dotGif(1, 65_535), becomes: 413 },
  { name: "a GIF of 100,000 frames", file: () => dotGif(1, 1, 100_000), becomes: { width: 1, height: 1 } },
  {
    name: "a WebP of 16,384 by 16,384 with nothing in it",
    file: () => emptyWebp(16_384, 16_384),
    becomes: 413,
  },
];
