/** Hostile files: those that an examination must find, and those that say more than a picture. */
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import sharp from "sharp";
import {
  blackPng,
  box,
  bytes,
  COMMENT,
  chunk,
  dotGif,
  emptyWebp,
  HOSTILE,
  type Hostile,
  honest,
  hostile,
  le16,
  le32,
  lyingAvif,
  PNG_SIGNATURE,
  patched,
  phoneJpeg,
  plain,
  segment,
  tiledAvif,
  u16,
  u32,
  withSegments,
} from "../../support/pictures.ts";
import { HTML, MARKER, PHP, tellingChunks, tellingSegments, withPlace, zip } from "./marked.ts";

/** Zeros, compressed to a thousandth. */
const packedZeros = (megabytes: number): Buffer => {
  const MEGABYTE = 1024 * 1024;
  // Each megabyte is compressed separately, so that not all of them are in memory.
  const one = deflateRawSync(Buffer.alloc(MEGABYTE), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const MODULUS = 65_521;
  const sum = u32(((megabytes * MEGABYTE) % MODULUS) * 65_536 + 1);
  return bytes(0x78, 0xda, ...Array<Buffer>(megabytes).fill(one), 3, 0, sum);
};

const header = (width: number, height: number, ...kind: number[]): Buffer =>
  chunk("IHDR", u32(width), u32(height), ...(kind.length > 0 ? kind : [1, 0, 0, 0, 0]));
const png = (...chunks: Buffer[]): Buffer => bytes(PNG_SIGNATURE, ...chunks);
const pixels = (length: number): Buffer => chunk("IDAT", deflateSync(Buffer.alloc(length)));
const END = chunk("IEND");
const TEXT = chunk("tEXt", `Comment\0${MARKER}`);

const TOLD = segment(COMMENT, MARKER);

/** A JPEG with other bytes in its frame header. @param at the offset after the marker's first byte */
const reframed = async (at: number, ...others: (number | Buffer)[]): Promise<Buffer> => {
  const jpeg = withSegments(await honest.jpeg(), TOLD);
  return patched(jpeg, jpeg.indexOf(bytes(0xff, 0xc0, 0)) + at, ...others);
};

/** A JPEG up to its pixels. */
const upToPixels = async (): Promise<Buffer> => {
  const file = await honest.jpeg();
  return file.subarray(0, file.indexOf(bytes(0xff, 0xda)));
};

/** Where the first picture of a {@link dotGif} begins. */
const FIRST = 19;
const withComment = (gif: Buffer, text: string): Buffer =>
  bytes(gif.subarray(0, FIRST), 0x21, 0xfe, text.length, text, 0, gif.subarray(FIRST));

const riffChunk = (type: string, ...data: (number | string | Buffer)[]): Buffer => {
  const inside = bytes(...data);
  return bytes(type, le32(inside.length), inside, Buffer.alloc(inside.length % 2));
};

/** A file of RIFF with further chunks at its end, and with the size that includes them. */
const withChunks = (riff: Buffer, ...chunks: Buffer[]): Buffer => {
  const file = bytes(riff, ...chunks);
  return patched(file, 4, le32(file.length - 8));
};

const NINE = { width: 9, height: 9 };
const SIXTY = { width: 60, height: 40 };

export const FILES: readonly Hostile[] = [
  ...HOSTILE,
  ...hostile(NINE, {
    "a PNG that tells all it can": async () => blackPng(9, 9, await tellingChunks()),
    "a PNG with a profile that unpacks to 2 GB": () =>
      png(header(9, 9), chunk("iCCP", "p\0\0", packedZeros(2_000)), pixels(27), END),
    "a PNG whose pixels unpack to 400 MB": () =>
      png(header(9, 9), TEXT, chunk("IDAT", packedZeros(400)), END),
    "a PNG that moves, with another picture": () =>
      png(
        ...[header(9, 9), chunk("acTL", u32(0x7fff_ffff), u32(0)), pixels(27)],
        chunk("fcTL", u32(0), u32(9), u32(9), u32(0), u32(0), Buffer.alloc(6)),
        ...[chunk("fdAT", u32(1), MARKER), END],
      ),
    "a WebP that moves, and tells where": async () => {
      const frames = await Promise.all([1, 2].map(() => plain(9, 9).png().toBuffer()));
      return withPlace(sharp(frames, { join: { animated: true } }))
        .webp()
        .toBuffer();
    },
  }),
  ...hostile(SIXTY, {
    "a PNG with its place in Exif": () => withPlace(plain()).png().toBuffer(),
    "a JPEG that tells all it can": async () =>
      withSegments(await withPlace(plain()).jpeg().toBuffer(), ...(await tellingSegments())),
    "a JPEG that is a PHAR too": async () =>
      withSegments(await honest.jpeg(), segment(COMMENT, PHP, await zip())),
    "a JPEG with a second picture behind it, in its own index": async () =>
      bytes(
        withSegments(await honest.jpeg(), segment(0xe2, "MPF\0MM\0*\0\0\0\x08\0\0\0\0\0\0")),
        withSegments(await honest.jpeg(), TOLD),
      ),
    "a JPEG of sixty comments of 64 KB": async () =>
      withSegments(
        await honest.jpeg(),
        ...Array<Buffer>(60).fill(segment(COMMENT, Buffer.alloc(65_000, MARKER))),
      ),
    "a JPEG whose pixels are HTML": async () =>
      bytes(await upToPixels(), 0xff, 0xda, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0, HTML, 0xff, 0xd9),
    "a WebP that tells all it can": async () => {
      const picture = withPlace(plain(60, 40, 4))
        .withIccProfile("p3")
        .webp();
      return withChunks(await picture.toBuffer(), riffChunk("tell", MARKER));
    },
    "a WebP with HTML behind it": async () => bytes(await honest.webp(), HTML),
    "an AVIF that tells where": () => withPlace(plain()).avif({ effort: 0 }).toBuffer(),
    "an AVIF with room that is not empty": async () => bytes(await honest.avif(), box("free", HTML)),
  }),
  ...hostile(
    { width: 30, height: 1 },
    {
      "a PNG whose pixels are PHP": () => {
        const row = deflateSync(bytes(0, PHP.padEnd(90)), { level: 0 });
        return png(header(30, 1, 8, 2, 0, 0, 0), chunk("IDAT", row), END);
      },
    },
  ),
  ...hostile(
    { width: 341, height: 512 },
    {
      "a telephone's JPEG, with a film behind it": async () =>
        bytes(await phoneJpeg(), `\0\0\0\x18ftypmp42\0\0\0\0mp42isom${MARKER}`),
    },
  ),
  ...hostile(
    { width: 1, height: 1 },
    {
      "a GIF that is a script too": () =>
        bytes(withComment(dotGif(1, 1), `*/=1;alert("${MARKER}");/*`), `*/;alert("${MARKER}")`),
    },
  ),
  ...hostile(
    { width: 512, height: 512 },
    { "a GIF of a hundred pictures of 5,000 by 5,000": () => dotGif(5_000, 5_000, 100) },
  ),
  ...hostile(413, {
    "a PNG with a second header, of 50,000 by 50,000": () =>
      png(header(9, 9), header(50_000, 50_000), pixels(27), END),
    "a JPEG that says 50,000 by 50,000": () => reframed(5, u16(50_000), u16(50_000)),
    "a GIF whose picture begins further right than any may be wide": () =>
      patched(dotGif(1, 1), FIRST + 1, le16(20_000)),
    "a WebP of 16,384 by 16,384 in 30 bytes": () =>
      withChunks(bytes("RIFF\0\0\0\0WEBP"), riffChunk("VP8L", 0x2f, 0xff, 0xff, 0xff, 0x0f, Buffer.alloc(9))),
    "an AVIF that says 65,536 by 65,536": () => lyingAvif(64, 65_536),
    "an AVIF of 65,280 tiles": () => tiledAvif({ tile: 64, rows: 255, columns: 256, side: 64 }),
  }),
  ...hostile(415, {
    "a PNG with fewer rows than it says": () => png(header(9, 9), TEXT, pixels(20), END),
    "a PNG whose pixels have a wrong checksum": () =>
      png(header(9, 9), TEXT, patched(pixels(27), pixels(27).length - 4, u32(0)), END),
    "a PNG without an end": () => png(header(9, 9), TEXT, pixels(27)),
    "a PNG whose chunk has 4 GB": () =>
      png(header(9, 9), bytes(u32(0xffff_ffff), `tEXt${MARKER}`), pixels(27), END),
    "a JPEG whose height comes later": () => reframed(5, u16(0)),
    "a JPEG without loss": () => reframed(1, 0xc3),
    "a GIF without a picture": () => withComment(dotGif(1, 1), MARKER).subarray(0, FIRST + 4 + MARKER.length),
    "a WebP of nothing but its canvas": () => emptyWebp(60, 40),
    "a WebP that is a sound": () => withChunks(bytes("RIFF\0\0\0\0WAVE"), riffChunk("fmt ", MARKER)),
    "an AVIF with HTML behind it": async () => bytes(await honest.avif(), HTML),
    "an AVIF that says 1 by 1": () => lyingAvif(64, 1),
  }),
];
