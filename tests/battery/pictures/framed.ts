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
import { HTML, hostile, MARKER, SIXTY, withPlace, XMP, zip } from "./marked.ts";

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
  hostile("a GIF that is a script too", DOT, () =>
    Buffer.concat([
      withBlocks(dotGif(1, 1), bytes(0x21, 0xfe), subBlocks(`*/=1;alert("${MARKER}");/*`)),
      Buffer.from(`*/;alert("${MARKER}")`),
    ]),
  ),
  hostile("a GIF with XMP", DOT, () =>
    withBlocks(dotGif(1, 1), bytes(0x21, 0xff, 11), Buffer.from("XMP DataXMP"), subBlocks(XMP)),
  ),
  hostile("a GIF of a hundred pictures of 5,000 by 5,000", { width: 512, height: 512 }, () =>
    dotGif(5_000, 5_000, 100),
  ),
  hostile("a GIF whose picture is longer than its screen says, and than any may be", 413, () => {
    const gif = dotGif(1, 1);
    gif.writeUInt16LE(20_000, 20);
    return gif;
  }),
  hostile("a GIF of no size", DOT, () => dotGif(0, 0)),
  hostile("a GIF whose picture lies beyond it", { width: 512, height: 1 }, () => {
    const gif = dotGif(1, 1);
    gif.writeUInt16LE(9_999, 20);
    return gif;
  }),
  hostile("a GIF without a picture", 415, () =>
    Buffer.concat([dotGif(1, 1).subarray(0, 19), bytes(0x21, 0xfe), subBlocks(MARKER), bytes(0x3b)]),
  ),
  hostile("a GIF that ends in its colours", 415, () => dotGif(1, 1).subarray(0, 15)),
  hostile("a GIF packed by no rule", 415, () => {
    const gif = dotGif(1, 1);
    gif.writeUInt8(0xff, 29);
    return gif;
  }),
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
  hostile("a WebP that tells all it can", SIXTY, async () =>
    withChunks(
      await withPlace(plain(60, 40, 4))
        .withIccProfile("p3")
        .webp()
        .toBuffer(),
      riffChunk("tell", Buffer.from(MARKER)),
    ),
  ),
  hostile("a WebP with HTML behind it", SIXTY, async () =>
    Buffer.concat([await honest.webp(), Buffer.from(HTML)]),
  ),
  hostile("a WebP that is a ZIP too", SIXTY, async () => Buffer.concat([await honest.webp(), zip()])),
  hostile("a WebP that moves, and tells where", { width: 9, height: 9 }, async () => {
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
  }),
  hostile("a WebP with 3 MB of nobody's", SIXTY, async () =>
    withChunks(await honest.webp(), riffChunk("tell", Buffer.alloc(3_000_000, MARKER))),
  ),
  hostile("a WebP of 16,384 by 16,384 in 30 bytes", 413, () =>
    withChunks(
      Buffer.from("RIFF\0\0\0\0WEBP"),
      riffChunk("VP8L", Buffer.concat([bytes(0x2f, 0xff, 0xff, 0xff, 0x0f), Buffer.alloc(9)])),
    ),
  ),
  hostile("a WebP of nothing but its canvas", 415, () => emptyWebp(60, 40)),
  hostile("a WebP that is a sound", 415, () =>
    withChunks(Buffer.from("RIFF\0\0\0\0WAVE"), riffChunk("fmt ", Buffer.from(MARKER))),
  ),
  hostile("a WebP that says to be a hundred times as long", 415, async () => {
    const file = Buffer.from(await honest.webp());
    file.writeUInt32LE(file.length * 100, 4);
    return file;
  }),
];

const AVIFS: readonly Hostile[] = [
  hostile("an AVIF that tells where", SIXTY, () => withPlace(plain()).avif({ effort: 0 }).toBuffer()),
  hostile("an AVIF with room that is not empty", SIXTY, async () =>
    Buffer.concat([await honest.avif(), box("free", Buffer.from(HTML))]),
  ),
  hostile("an AVIF with HTML behind it", 415, async () =>
    Buffer.concat([await honest.avif(), Buffer.from(HTML)]),
  ),
  hostile("an AVIF that says 65,536 by 65,536", 413, () => lyingAvif(64, 65_536)),
  hostile("an AVIF of 65,535 tiles", 413, () => tiledAvif({ tile: 64, rows: 255, columns: 256, side: 64 })),
  hostile("an AVIF that says 1 by 1", 415, () => lyingAvif(64, 1)),
];

export const FRAMED: readonly Hostile[] = [...GIFS, ...WEBPS, ...AVIFS];
