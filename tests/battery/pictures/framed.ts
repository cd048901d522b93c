/** Hostile GIFs, WebPs and AVIFs. */
import sharp from "sharp";
import {
  box,
  bytes,
  dotGif,
  emptyWebp,
  type Hostile,
  honest,
  hostile,
  le16,
  le32,
  lyingAvif,
  patched,
  plain,
  tiledAvif,
} from "../../support/pictures.ts";
import { HTML, MARKER, SIXTY, withPlace, XMP, zip } from "./marked.ts";

const DOT = { width: 1, height: 1 };

/** Where the first picture of a {@link dotGif} begins. */
const FIRST = 19;

/** Puts a block with a text, cut into pieces of at most 255 bytes, into a GIF before its first picture. */
const withBlock = (gif: Buffer, head: Buffer, text: string): Buffer => {
  const pieces = (text.match(/.{1,255}/gs) ?? []).map((piece) => bytes(piece.length, piece));
  return bytes(gif.subarray(0, FIRST), head, ...pieces, 0, gif.subarray(FIRST));
};

const COMMENT = bytes(0x21, 0xfe);

const GIFS: readonly Hostile[] = [
  ...hostile(DOT, {
    "a GIF that is a script too": () =>
      bytes(withBlock(dotGif(1, 1), COMMENT, `*/=1;alert("${MARKER}");/*`), `*/;alert("${MARKER}")`),
    "a GIF with XMP": () => withBlock(dotGif(1, 1), bytes(0x21, 0xff, 11, "XMP DataXMP"), XMP),
    "a GIF of no size": () => dotGif(0, 0),
  }),
  ...hostile(
    { width: 512, height: 512 },
    { "a GIF of a hundred pictures of 5,000 by 5,000": () => dotGif(5_000, 5_000, 100) },
  ),
  ...hostile(
    { width: 512, height: 1 },
    { "a GIF whose picture lies beyond it": () => patched(dotGif(1, 1), FIRST + 1, le16(9_999)) },
  ),
  ...hostile(413, {
    "a GIF whose picture begins further right than any may be wide": () =>
      patched(dotGif(1, 1), FIRST + 1, le16(20_000)),
  }),
  ...hostile(415, {
    "a GIF without a picture": () =>
      bytes(withBlock(dotGif(1, 1), COMMENT, MARKER).subarray(0, FIRST + 4 + MARKER.length), 0x3b),
    "a GIF that ends in its colours": () => dotGif(1, 1).subarray(0, 15),
    "a GIF packed by no rule": () => patched(dotGif(1, 1), FIRST + 10, 0xff),
  }),
];

/** A chunk of a RIFF file. */
const riffChunk = (type: string, ...data: (number | string | Buffer)[]): Buffer => {
  const inside = bytes(...data);
  return bytes(type, le32(inside.length), inside, Buffer.alloc(inside.length % 2));
};

/** A WebP with further chunks at its end, and with the size that includes them. */
const withChunks = (webp: Buffer, ...chunks: Buffer[]): Buffer => {
  const file = bytes(webp, ...chunks);
  return patched(file, 4, le32(file.length - 8));
};

const WEBPS: readonly Hostile[] = [
  ...hostile(SIXTY, {
    "a WebP that tells all it can": async () => {
      const picture = withPlace(plain(60, 40, 4))
        .withIccProfile("p3")
        .webp();
      return withChunks(await picture.toBuffer(), riffChunk("tell", MARKER));
    },
    "a WebP with HTML behind it": async () => bytes(await honest.webp(), HTML),
    "a WebP that is a ZIP too": async () => bytes(await honest.webp(), await zip()),
    "a WebP with 3 MB of nobody's": async () =>
      withChunks(await honest.webp(), riffChunk("tell", Buffer.alloc(3_000_000, MARKER))),
  }),
  ...hostile(
    { width: 9, height: 9 },
    {
      "a WebP that moves, and tells where": async () => {
        const moved = [plain(9, 9), plain(9, 9).negate()];
        const frames = await Promise.all(moved.map((frame) => frame.png().toBuffer()));
        return withPlace(sharp(frames, { join: { animated: true } }))
          .webp()
          .toBuffer();
      },
    },
  ),
  ...hostile(413, {
    "a WebP of 16,384 by 16,384 in 30 bytes": () =>
      withChunks(bytes("RIFF\0\0\0\0WEBP"), riffChunk("VP8L", 0x2f, 0xff, 0xff, 0xff, 0x0f, Buffer.alloc(9))),
  }),
  ...hostile(415, {
    "a WebP of nothing but its canvas": () => emptyWebp(60, 40),
    "a WebP that is a sound": () => withChunks(bytes("RIFF\0\0\0\0WAVE"), riffChunk("fmt ", MARKER)),
    "a WebP that says to be a hundred times as long": async () => {
      const file = await honest.webp();
      return patched(file, 4, le32(file.length * 100));
    },
  }),
];

const AVIFS: readonly Hostile[] = [
  ...hostile(SIXTY, {
    "an AVIF that tells where": () => withPlace(plain()).avif({ effort: 0 }).toBuffer(),
    "an AVIF with room that is not empty": async () => bytes(await honest.avif(), box("free", HTML)),
  }),
  ...hostile(413, {
    "an AVIF that says 65,536 by 65,536": () => lyingAvif(64, 65_536),
    "an AVIF of 65,280 tiles": () => tiledAvif({ tile: 64, rows: 255, columns: 256, side: 64 }),
  }),
  ...hostile(415, {
    "an AVIF with HTML behind it": async () => bytes(await honest.avif(), HTML),
    "an AVIF that says 1 by 1": () => lyingAvif(64, 1),
  }),
];

export const FRAMED: readonly Hostile[] = [...GIFS, ...WEBPS, ...AVIFS];
