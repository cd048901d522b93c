/** Hostile GIFs, WebPs and AVIFs. */
import sharp from "sharp";
import {
  box,
  bytes,
  dotGif,
  emptyWebp,
  type Hostile,
  honest,
  lyingAvif,
  plain,
  tiledAvif,
  u32,
} from "../../support/pictures.ts";
import { HTML, TELLTALE, withPlace, XMP, zip } from "./telling.ts";

const SIXTY = { width: 60, height: 40 };
const DOT = { width: 1, height: 1 };

/** A number with its least byte first. */
export const le32 = (value: number): Buffer => u32(value).reverse();

/** Puts blocks into a GIF, before its first picture. */
const withBlocks = (gif: Buffer, ...blocks: Buffer[]): Buffer => {
  const FIRST = 13 + 6;
  return Buffer.concat([gif.subarray(0, FIRST), ...blocks, gif.subarray(FIRST)]);
};

/** Text in a block of a GIF, cut into pieces of at most 255 bytes. */
const subBlocks = (text: string): Buffer =>
  Buffer.concat([
    ...(text.match(/.{1,255}/gs) ?? []).flatMap((piece) => [
      bytes(piece.length),
      Buffer.from(piece, "latin1"),
    ]),
    bytes(0),
  ]);

const GIFS: readonly Hostile[] = [
  {
    name: "a GIF that is a script too",
    file: () =>
      Buffer.concat([
        withBlocks(dotGif(1, 1), bytes(0x21, 0xfe), subBlocks(`*/=1;alert("${TELLTALE}");/*`)),
        Buffer.from(`*/;alert("${TELLTALE}")`),
      ]),
    becomes: DOT,
  },
  {
    name: "a GIF with XMP",
    file: () => withBlocks(dotGif(1, 1), bytes(0x21, 0xff, 11), Buffer.from("XMP DataXMP"), subBlocks(XMP)),
    becomes: DOT,
  },
  {
    name: "a GIF of a hundred pictures of 5,000 by 5,000",
    file: () => dotGif(5_000, 5_000, 100),
    becomes: { width: 512, height: 512 },
  },
  {
    name: "a GIF whose picture is longer than its screen says, and than any may be",
    file: () => {
      const gif = dotGif(1, 1);
      gif.writeUInt16LE(20_000, 20);
      return gif;
    },
    becomes: 413,
  },
  { name: "a GIF of no size", file: () => dotGif(0, 0), becomes: DOT },
  {
    name: "a GIF whose picture lies beyond it",
    file: () => {
      const gif = dotGif(1, 1);
      gif.writeUInt16LE(9_999, 20);
      return gif;
    },
    becomes: { width: 512, height: 1 },
  },
  {
    name: "a GIF without a picture",
    file: () =>
      Buffer.concat([dotGif(1, 1).subarray(0, 19), bytes(0x21, 0xfe), subBlocks(TELLTALE), bytes(0x3b)]),
    becomes: 415,
  },
  { name: "a GIF that ends in its colours", file: () => dotGif(1, 1).subarray(0, 15), becomes: 415 },
  {
    name: "a GIF packed by no rule",
    file: () => {
      const gif = dotGif(1, 1);
      gif.writeUInt8(0xff, 29);
      return gif;
    },
    becomes: 415,
  },
];

/** A chunk of a RIFF file. */
const riffChunk = (type: string, data: Buffer): Buffer =>
  Buffer.concat([Buffer.from(type), le32(data.length), data, Buffer.alloc(data.length % 2)]);

/** A WebP with chunks behind its own, whose size counts them. */
const withChunks = (webp: Buffer, ...chunks: Buffer[]): Buffer => {
  const file = Buffer.concat([webp, ...chunks]);
  file.writeUInt32LE(file.length - 8, 4);
  return file;
};

const WEBPS: readonly Hostile[] = [
  {
    name: "a WebP that tells all it can",
    file: async () =>
      withChunks(
        await withPlace(plain(60, 40, 4))
          .withIccProfile("p3")
          .webp()
          .toBuffer(),
        riffChunk("tell", Buffer.from(TELLTALE)),
      ),
    becomes: SIXTY,
  },
  {
    name: "a WebP with HTML behind it",
    file: async () => Buffer.concat([await honest.webp(), Buffer.from(HTML)]),
    becomes: SIXTY,
  },
  {
    name: "a WebP that is a ZIP too",
    file: async () => Buffer.concat([await honest.webp(), zip()]),
    becomes: SIXTY,
  },
  {
    name: "a WebP that moves, and tells where",
    file: async () => {
      const frames = await Promise.all(
        ["#f00", "#0f0"].map((background) =>
          sharp({ create: { width: 9, height: 9, channels: 3, background } })
            .png()
            .toBuffer(),
        ),
      );
      return withPlace(sharp(frames, { join: { animated: true } }))
        .webp()
        .toBuffer();
    },
    becomes: { width: 9, height: 9 },
  },
  {
    name: "a WebP with 3 MB of nobody's",
    file: async () => withChunks(await honest.webp(), riffChunk("tell", Buffer.alloc(3_000_000, TELLTALE))),
    becomes: SIXTY,
  },
  {
    name: "a WebP of 16,384 by 16,384 in 30 bytes",
    file: () =>
      withChunks(
        Buffer.from("RIFF\0\0\0\0WEBP"),
        riffChunk("VP8L", Buffer.concat([bytes(0x2f, 0xff, 0xff, 0xff, 0x0f), Buffer.alloc(9)])),
      ),
    becomes: 413,
  },
  { name: "a WebP of nothing but its canvas", file: () => emptyWebp(60, 40), becomes: 415 },
  {
    name: "a WebP that is a sound",
    file: () => withChunks(Buffer.from("RIFF\0\0\0\0WAVE"), riffChunk("fmt ", Buffer.from(TELLTALE))),
    becomes: 415,
  },
  {
    name: "a WebP that says to be a hundred times as long",
    file: async () => {
      const file = Buffer.from(await honest.webp());
      file.writeUInt32LE(file.length * 100, 4);
      return file;
    },
    becomes: 415,
  },
];

const AVIFS: readonly Hostile[] = [
  {
    name: "an AVIF that tells where",
    file: () => withPlace(plain()).avif({ effort: 0 }).toBuffer(),
    becomes: SIXTY,
  },
  {
    name: "an AVIF with room that is not empty",
    file: async () => Buffer.concat([await honest.avif(), box("free", Buffer.from(HTML))]),
    becomes: SIXTY,
  },
  {
    name: "an AVIF with HTML behind it",
    file: async () => Buffer.concat([await honest.avif(), Buffer.from(HTML)]),
    becomes: 415,
  },
  { name: "an AVIF that says 65,536 by 65,536", file: () => lyingAvif(64, 65_536), becomes: 413 },
  {
    name: "an AVIF of 65,535 tiles",
    file: () => tiledAvif({ tile: 64, rows: 255, columns: 256, side: 64 }),
    becomes: 413,
  },
  { name: "an AVIF that says 1 by 1", file: () => lyingAvif(64, 1), becomes: 415 },
];

export const FRAMED: readonly Hostile[] = [...GIFS, ...WEBPS, ...AVIFS];
