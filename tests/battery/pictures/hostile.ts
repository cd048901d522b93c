/** Hostile files: some must be rejected, the others contain more than a picture. */
import { randomBytes } from "node:crypto";
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import {
  blackPng,
  bytes,
  chunk,
  honest,
  le16,
  le32,
  PNG_SIGNATURE,
  patched,
  plain,
  tallPng,
  u32,
  withSegments,
} from "../../support/pictures.ts";
import { box, lyingAvif, tiledAvif } from "./avif.ts";
import { HTML, MARKER, markedChunks, markedSegments, withPlace } from "./marked.ts";

/** Zeros, compressed to a thousandth. */
const packedZeros = (megabytes: number): Buffer => {
  const MEGABYTE = 1024 * 1024;
  // Each megabyte is compressed separately, so that not all of them are in memory.
  const one = deflateRawSync(Buffer.alloc(MEGABYTE), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const MODULUS = 65_521;
  const sum = u32(((megabytes * MEGABYTE) % MODULUS) * 65_536 + 1);
  return bytes(0x78, 0xda, ...Array<Buffer>(megabytes).fill(one), 3, 0, sum);
};

const header = (width: number, height: number): Buffer =>
  chunk("IHDR", u32(width), u32(height), 1, 0, 0, 0, 0);
/** A PNG of 9 by 9 with these chunks between its first and its last. */
const smallPng = (...chunks: Buffer[]): Buffer =>
  bytes(PNG_SIGNATURE, header(9, 9), ...chunks, chunk("IEND"));
const pixels = (length: number): Buffer => chunk("IDAT", deflateSync(Buffer.alloc(length)));
const TEXT = chunk("tEXt", `Comment\0${MARKER}`);

/** 4 GB of texts in under 4 MiB. */
const pngOfTexts = (): Buffer => {
  const packed = deflateSync(Buffer.alloc(7_900_000, "A"), { level: 9 });
  const texts = Array.from({ length: 500 }, (_, at) => chunk("zTXt", `text ${at}\0\0`, packed));
  return blackPng(8, 8, texts);
};

const FORMATS = ["png", "jpeg", "webp", "gif", "avif"] as const;
type Format = (typeof FORMATS)[number];
type Change = (file: Buffer) => Buffer;

/** An honest file of a format that was changed. */
const changed = (change: Change) => (format: Format) => async () => change(await honest[format]());
const avif = (change: Change) => changed(change)("avif");
const half = changed((file) => file.subarray(0, file.length / 2));
const withHtmlInside = changed((file) => bytes(file.subarray(0, 40), HTML));
const withHtmlBehind = changed((file) => bytes(file, HTML));

/** A JPEG with the same last scan, which goes over all pixels, again and again. */
const jpegOfScans = (progressive: boolean, scans: number) => async () => {
  const file = await plain().jpeg({ progressive }).toBuffer();
  const at = file.lastIndexOf(bytes(0xff, 0xda));
  return bytes(file.subarray(0, at), ...Array<Buffer>(scans).fill(file.subarray(at, -2)), file.subarray(-2));
};

/** A GIF with a screen and frames of any size, each frame a single black dot. */
const dotGif = (screen: number, frame: number, frames = 1): Buffer => {
  const one = bytes(0x2c, u32(0), le16(frame), le16(frame), 0, 2, 2, 0x4c, 1, 0);
  const head = bytes("GIF89a", le16(screen), le16(screen), 0x80, 0, 0, 0, 0, 0, 255, 255, 255);
  return bytes(head, Buffer.alloc(one.length * frames, one), 0x3b);
};

/** A file, and what must become of it: the status of a rejection, or a picture of this width and height. */
interface Hostile {
  name: string;
  file: () => Buffer | Promise<Buffer>;
  becomes: 400 | 413 | 415 | readonly [width: number, height: number];
}
type Make = Hostile["file"];

/** A pixel longer than a picture may be. */
const LONG = 16_385;
const TOO_LONG: Record<Format, Make> = {
  png: () => blackPng(1, LONG),
  jpeg: () => plain(LONG, 1).jpeg().toBuffer(),
  webp: () => bytes("RIFF", le32(22), "WEBPVP8X", le32(10), le32(0), le32(LONG - 1).subarray(0, 3), 0, 0, 0),
  gif: () => plain(1, LONG).gif().toBuffer(),
  avif: avif((file) => patched(file, file.indexOf("ispe") + 8, u32(LONG))),
};

const SVG = `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="file:///etc/passwd"/></svg>`;

/** Files of which all become the same, by their names. */
const hostile = (becomes: Hostile["becomes"], files: Record<string, Make>): Hostile[] =>
  Object.entries(files).map(([name, file]) => ({ name, file, becomes }));

/** A file of each format. */
const ofEach = (becomes: Hostile["becomes"], how: string, make: (format: Format) => Make): Hostile[] =>
  FORMATS.map((format) => ({ becomes, name: `a ${format} ${how}`, file: make(format) }));

export const FILES: readonly Hostile[] = [
  ...ofEach([60, 40], "with a location", (format) => () => withPlace(plain()).toFormat(format).toBuffer()),
  ...ofEach(413, "that is a pixel too long", (format) => TOO_LONG[format]),
  ...ofEach(415, "that is cut in half", half),
  ...ofEach(415, "with HTML after its head", withHtmlInside),
  ...hostile([60, 40], {
    "a PNG with HTML behind it": withHtmlBehind("png"),
    "a JPEG with HTML behind it": withHtmlBehind("jpeg"),
    "a WebP with HTML behind it": withHtmlBehind("webp"),
    "an AVIF with room that is not empty": avif((file) => bytes(file, box("free", HTML))),
    "a JPEG with all metadata": async () =>
      withSegments(await withPlace(plain()).jpeg().toBuffer(), ...markedSegments),
    "a JPEG of 101 scans": jpegOfScans(false, 101),
    "an AVIF with HTML behind it": withHtmlBehind("avif"),
  }),
  ...hostile([9, 9], {
    "a PNG with all metadata": () => blackPng(9, 9, markedChunks),
    "a PNG with a profile that unpacks to 2 GB": () =>
      smallPng(chunk("iCCP", "p\0\0", packedZeros(2_000)), pixels(27)),
    "a PNG whose pixels unpack to 400 MB": () => smallPng(TEXT, chunk("IDAT", packedZeros(400))),
  }),
  ...hostile([8, 8], { "a PNG of 4 GB of texts": pngOfTexts }),
  ...hostile([1, 1], { "a GIF of 100,000 frames": () => dotGif(1, 1, 100_000) }),
  ...hostile([512, 512], { "a GIF of 100 pictures of 5,000 by 5,000": () => dotGif(5_000, 5_000, 100) }),
  ...hostile([64, 64], {
    "an AVIF of 256 tiles, all but a corner cut away": () => tiledAvif({ tile: 256, rows: 16, side: 64 }),
  }),
  ...hostile([256, 256], { "an AVIF of four tiles": () => tiledAvif({ tile: 128, rows: 2, side: 256 }) }),
  ...hostile(400, { nothing: () => Buffer.alloc(0) }),
  ...hostile(413, {
    "a PNG of 20,000 by 20,000 in 48 KB": () => blackPng(20_000, 20_000),
    "a PNG of 1 by 50 million in 97 KB": tallPng,
    "a GIF with a frame of 65,535 by 65,535": () => dotGif(1, 65_535),
    "a lossless WebP of 16,384 by 16,384 in 30 bytes": () =>
      bytes("RIFF", le32(22), "WEBPVP8L", le32(10), 0x2f, 0xff, 0xff, 0xff, 0x0f, Buffer.alloc(5)),
    "an AVIF of 65,280 tiles": () => tiledAvif({ tile: 64, rows: 255, columns: 256, side: 64 }),
    "HTML with the head of a GIF": () => bytes(`GIF89a/*${HTML}*/`),
    "HTML with the head of a WebP": () => bytes(`RIFF\x20\0\0\0WEBPVP8 ${HTML}`),
  }),
  ...hostile(415, {
    "random bytes": () => randomBytes(5_000),
    "an SVG that reads a file": () => bytes(SVG),
    "a TIFF": () => plain().tiff().toBuffer(),
    "a HEIC": avif((file) => bytes(file.toString("latin1").replaceAll("avif", "heic"))),
    "a HEIC with the brand of an AVIF": avif((file) => patched(file, file.indexOf("av01"), "hvc1")),
    "a video": () => box("ftyp", "isom\0\0\0\0isommp42"),
    "an AVIF of nothing but its first box": () => box("ftyp", "avif\0\0\0\0avifmif1"),
    "an AVIF whose boxes do not end": avif((file) => patched(file, 28, 0x7f)),
    "an AVIF that is larger than it says": () => lyingAvif(2_000, 64),
    "an AVIF of tiles that are larger than they say": () =>
      tiledAvif({ tile: 1_024, claimed: 64, rows: 16, side: 64 }),
    "an AVIF of four tiles that plans to be larger than it says": () =>
      tiledAvif({ tile: 128, rows: 2, side: 256, planned: 20_000 }),
    "a PNG with a second header, of 50,000 by 50,000": () => smallPng(header(50_000, 50_000), pixels(27)),
    "a progressive JPEG of 101 times its last scan": jpegOfScans(true, 101),
    "a PNG with fewer rows than it says": () => smallPng(TEXT, pixels(20)),
    "a PNG whose pixels have a wrong checksum": () =>
      smallPng(TEXT, patched(pixels(27), pixels(27).length - 4, u32(0))),
  }),
];
