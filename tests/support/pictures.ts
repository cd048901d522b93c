/** Pictures, honest and hostile: made here, byte by byte where no encoder would. */
import { randomBytes } from "node:crypto";
import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";

/** Bytes one after the other: numbers below 256, texts in Latin-1, and buffers. */
export const bytes = (...parts: (number | string | Buffer)[]): Buffer =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === "number"
        ? Buffer.of(part)
        : typeof part === "string"
          ? Buffer.from(part, "latin1")
          : part,
    ),
  );

export const u16 = (value: number): Buffer => bytes(value >> 8, value & 0xff);

export const u32 = (value: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value);
  return buffer;
};

/** Numbers with their least byte first. */
export const le16 = (value: number): Buffer => u16(value).reverse();
export const le32 = (value: number): Buffer => u32(value).reverse();

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
export const chunk = (type: string, ...data: (number | string | Buffer)[]): Buffer => {
  const named = bytes(type, ...data);
  return bytes(u32(named.length - 4), named, u32(crc32(named)));
};

/** A black PNG with one bit for a pixel, and whatever other chunks before the pixels. */
export const blackPng = (width: number, height: number, extra: Buffer[] = [], rows = height): Buffer =>
  bytes(
    PNG_SIGNATURE,
    chunk("IHDR", u32(width), u32(height), 1, 0, 0, 0, 0),
    ...extra,
    chunk("IDAT", deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * rows), { level: 9 })),
    chunk("IEND"),
  );

/** 4 GB of texts in under 4 MiB. */
const pngOfTexts = (): Buffer => {
  const packed = deflateSync(Buffer.alloc(7_900_000, "A"), { level: 9 });
  const texts = Array.from({ length: 500 }, (_, at) => chunk("zTXt", `text ${at}\0\0`, packed));
  return blackPng(8, 8, texts);
};

/** A segment of a JPEG. */
export const segment = (marker: number, ...data: (number | string | Buffer)[]): Buffer => {
  const inside = bytes(...data);
  return bytes(0xff, marker, u16(inside.length + 2), inside);
};

/** Puts segments behind the first bytes of a JPEG. */
export const withSegments = (jpeg: Buffer, ...segments: Buffer[]): Buffer =>
  bytes(jpeg.subarray(0, 2), ...segments, jpeg.subarray(2));

export const COMMENT = 0xfe;

/** A place as Exif has it. */
export const PLACE = {
  GPSLatitudeRef: "N",
  GPSLatitude: "47/1 22/1 36/1",
  GPSLongitudeRef: "E",
  GPSLongitude: "8/1 32/1 30/1",
};

/** What must not come out of a phone's picture again. */
export const TRACES = ["Exif", "GeoPhone", "Bahnhofstrasse", "a comment of Ada's", "ICC_PROFILE", "xpacket"];

/** A phone's picture: red left and blue right as stored, to be turned by 90°, with all that a phone tells. */
export const phoneJpeg = async (orientation = 6): Promise<Buffer> => {
  const place = `<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">Bahnhofstrasse</x:xmpmeta>`;
  const half = { create: { width: 300, height: 400, channels: 3, background: "#f00" } } as const;
  const stored = await sharp({ create: { width: 600, height: 400, channels: 3, background: "#00f" } })
    .composite([{ input: half, left: 0, top: 0 }])
    .withMetadata({ orientation })
    .withIccProfile("p3")
    .withExif({ IFD0: { Make: "GeoPhone" }, IFD3: PLACE })
    .withXmp(place)
    .jpeg({ quality: 95 })
    .toBuffer();
  return withSegments(stored, segment(COMMENT, "a comment of Ada's"));
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
  const table = (of: number, symbol: number): Buffer => segment(0xc4, of, 1, Buffer.alloc(15), symbol);
  const ofCoefficient = (at: number): Buffer => {
    const [coefficient, refinement] = [1 + (at % 63), Math.floor(at / 63)];
    const [high, low] = refinement === 0 ? [0, 13] : [14 - refinement, 13 - refinement];
    return bytes(segment(0xda, 1, 1, 0, coefficient, coefficient, (high << 4) | low), ...run);
  };
  return bytes(
    ...[0xff, 0xd8],
    segment(0xdb, 0, Buffer.alloc(64, 1)),
    segment(0xc2, 8, u16(side), u16(side), 1, 1, 0x11, 0),
    table(0x00, 0),
    table(0x10, 0xe0),
    segment(0xda, 1, 1, 0, 0, 0, 0),
    Buffer.alloc(Math.ceil(blocks / 8)),
    ...Array.from({ length: scans - 1 }, (_, at) => ofCoefficient(at)),
    ...[0xff, 0xd9],
  );
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
  const one = bytes(0x2c, u32(0), le16(frame), le16(frame), 0, 2, 2, 0x4c, 1, 0);
  const head = bytes("GIF89a", le16(screen), le16(screen), 0x80, 0, 0, 0, 0, 0, 255, 255, 255);
  return bytes(head, Buffer.alloc(one.length * frames, one), 0x3b);
};

/** A WebP whose header alone is there: an extended one with a canvas of this size. */
export const emptyWebp = (width: number, height: number): Buffer => {
  const size = [width, height].map((side) => le32(side - 1).subarray(0, 3));
  const body = bytes("WEBPVP8X", le32(10), le32(0), ...size);
  return bytes("RIFF", le32(body.length), body);
};

/** An ISO box; `full` ones begin with a version and flags. */
export const box = (type: string, ...data: (number | string | Buffer)[]): Buffer => {
  const all = bytes(...data);
  return bytes(u32(8 + all.length), type, all);
};
const full = (type: string, version: number, ...data: (number | string | Buffer)[]): Buffer =>
  box(type, u32(version * 2 ** 24), ...data);

const boxIn = (file: Buffer, type: string): Buffer => {
  const at = file.indexOf(type) - 4;
  return file.subarray(at, at + file.readUInt32BE(at));
};

interface Tiling {
  /** Side of a tile in pixels, as it is and as its header claims. */
  tile: number;
  claimed?: number;
  rows: number;
  columns: number;
  /** Side of the whole, and as the plan of the tiles has it. */
  side: number;
  planned?: number;
}

/** An AVIF that is put together of one and the same tile, again and again. */
export const tiledAvif = async ({
  tile,
  claimed = tile,
  rows,
  columns,
  side,
  planned = side,
}: Tiling): Promise<Buffer> => {
  const [TILE, WHOLE] = [u16(1), u16(2)];
  const one = await plain(tile, tile).avif({ effort: 0, quality: 30 }).toBuffer();
  const pixels = boxIn(one, "mdat").subarray(8);
  const plan = bytes(0, 1, rows - 1, columns - 1, u32(planned), u32(planned));
  const size = (of: number): Buffer => full("ispe", 0, u32(of), u32(of));
  const item = (id: Buffer, type: string): Buffer => full("infe", 2, id, u16(0), type, 0);
  const metaAt = (offset: number): Buffer =>
    full(
      "meta",
      0,
      full("hdlr", 0, u32(0), "pict", Buffer.alloc(13)),
      full("pitm", 0, WHOLE),
      full(
        "iloc",
        1,
        ...[0x44, 0, 0, 2],
        ...[TILE, u16(0), u16(0), u16(1), u32(offset), u32(pixels.length)],
        ...[WHOLE, u16(1), u16(0), u16(1), u32(0), u32(plan.length)],
      ),
      full("iinf", 0, u16(2), item(TILE, "av01"), item(WHOLE, "grid")),
      full("iref", 0, box("dimg", WHOLE, u16(rows * columns), Buffer.alloc(2 * rows * columns, TILE))),
      box(
        "iprp",
        box("ipco", boxIn(one, "av1C"), size(claimed), boxIn(one, "pixi"), size(side)),
        full("ipma", 0, u32(2), TILE, 3, 0x81, 2, 3, WHOLE, 2, 4, 3),
      ),
      box("idat", plan),
    );
  const head = box("ftyp", "avif\0\0\0\0avifmif1miaf");
  const before = head.length + metaAt(0).length + 8;
  return bytes(head, metaAt(before), box("mdat", pixels));
};

/** An AVIF with another size in its header than it has. */
export const lyingAvif = async (side: number, claimed: number): Promise<Buffer> => {
  const file = await plain(side, side).avif({ effort: 0, quality: 30 }).toBuffer();
  return patched(file, file.indexOf("ispe") + 8, bytes(u32(claimed), u32(claimed)));
};

/** A file with other bytes at one place. */
export const patched = (file: Buffer, at: number, ...others: (number | string | Buffer)[]): Buffer => {
  const other = bytes(...others);
  return bytes(file.subarray(0, at), other, file.subarray(at + other.length));
};

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>`;
const HTML = `<html><script>alert("kept")</script></html>`;

/** A file, and what is to become of it: a refusal, or a picture of this size. */
export interface Hostile {
  name: string;
  file: () => Buffer | Promise<Buffer>;
  becomes: 400 | 413 | 415 | { width: number; height: number };
}

/** Files of which all become the same, by their names. */
export const hostile = (becomes: Hostile["becomes"], files: Record<string, Hostile["file"]>): Hostile[] =>
  Object.entries(files).map(([name, file]) => ({ name, file, becomes }));

export const HOSTILE: readonly Hostile[] = [
  ...hostile(400, { nothing: () => Buffer.alloc(0) }),
  ...hostile(415, {
    "random bytes": () => randomBytes(5_000),
    "an SVG that reads a file": () => bytes(SVG),
    "a TIFF": () => plain().tiff().toBuffer(),
    "a HEIC": async () => {
      const file = await honest.avif();
      const length = file.readUInt32BE(0);
      return patched(file, 0, file.toString("latin1", 0, length).replaceAll("avif", "heic"));
    },
    "a HEIC that calls itself AVIF": async () => {
      const file = await honest.avif();
      return patched(file, file.indexOf("av01"), "hvc1");
    },
    "a video": () => box("ftyp", "isom\0\0\0\0isommp42"),
    "an AVIF of nothing but its first box": () => box("ftyp", "avif\0\0\0\0avifmif1"),
    "an AVIF whose boxes do not end": async () => patched(await honest.avif(), 28, 0x7f),
    "an AVIF that is larger than it says": () => lyingAvif(2_000, 64),
    "an AVIF of tiles that are larger than they say": () =>
      tiledAvif({ tile: 1_024, claimed: 64, rows: 16, columns: 16, side: 64 }),
    "an AVIF of four tiles that plans to be larger than it says": () =>
      tiledAvif({ tile: 128, rows: 2, columns: 2, side: 256, planned: 20_000 }),
    "HTML with the head of a PNG": () => bytes(PNG_SIGNATURE, HTML),
    "HTML with the head of a JPEG": () => bytes(0xff, 0xd8, 0xff, HTML),
  }),
  ...hostile(413, {
    "an AVIF of 256 tiles, all but a corner cut away": () =>
      tiledAvif({ tile: 1_024, rows: 16, columns: 16, side: 64 }),
    "a PNG of 20,000 by 20,000 in 48 KB": () => blackPng(20_000, 20_000),
    "a PNG of 1 by 50 million in 97 KB": tallPng,
    "HTML with the head of a GIF": () => bytes(`GIF89a/*${HTML}*/`),
    "HTML with the head of a WebP": () => bytes(`RIFF\x20\0\0\0WEBPVP8 ${HTML}`),
    "a JPEG of 49 megapixels in 800 scans": () => jpegOfScans(7_000, 800),
    "a GIF with a frame of 65,535 by 65,535": () => dotGif(1, 65_535),
  }),
  ...hostile(
    { width: 256, height: 256 },
    {
      "an AVIF of four tiles": () => tiledAvif({ tile: 128, rows: 2, columns: 2, side: 256 }),
    },
  ),
  ...hostile({ width: 8, height: 8 }, { "a PNG of 4 GB of texts": pngOfTexts }),
  ...hostile(
    { width: 1, height: 1 },
    {
      "a GIF of 100,000 frames": () => dotGif(1, 1, 100_000),
    },
  ),
];
