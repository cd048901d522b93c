/** Hostile PNGs. */
import { deflateSync } from "node:zlib";
import {
  blackPng,
  bytes,
  chunk,
  type Hostile,
  hostile,
  PNG_SIGNATURE,
  patched,
  plain,
  u32,
} from "../../support/pictures.ts";
import { MARKER, PHP, packedZeros, SIXTY, tellingChunks, withPlace, zip } from "./marked.ts";

const header = (width: number, height: number, ...kind: number[]): Buffer =>
  chunk("IHDR", u32(width), u32(height), ...(kind.length > 0 ? kind : [1, 0, 0, 0, 0]));

const png = (...chunks: Buffer[]): Buffer => bytes(PNG_SIGNATURE, ...chunks);

const pixels = (length: number): Buffer => chunk("IDAT", deflateSync(Buffer.alloc(length)));
const END = chunk("IEND");
const TEXT = chunk("tEXt", `Comment\0${MARKER}`);

/** With a wrong checksum of a chunk. */
const wrongSum = (file: Buffer, type: string): Buffer => {
  const at = file.indexOf(type);
  const sum = at + 4 + file.readUInt32BE(at - 4);
  return patched(file, sum + 3, (file.readUInt8(sum + 3) + 1) % 256);
};

export const PNGS: readonly Hostile[] = [
  ...hostile(
    { width: 9, height: 9 },
    {
      "a PNG that tells all it can": async () => blackPng(9, 9, await tellingChunks()),
      "a PNG that is a ZIP too": async () => bytes(blackPng(9, 9), await zip()),
      "a PNG with a profile that unpacks to 2 GB": () =>
        png(header(9, 9), chunk("iCCP", "p\0\0", packedZeros(2_000)), pixels(27), END),
      "a PNG with a text that unpacks to 2 GB": () =>
        png(header(9, 9), chunk("zTXt", "c\0\0", packedZeros(2_000)), pixels(27), END),
      "a PNG of 9 by 9 whose pixels unpack to 400 MB": () =>
        png(header(9, 9), TEXT, chunk("IDAT", packedZeros(400)), END),
      "a PNG that moves, with another picture": () =>
        png(
          header(9, 9),
          chunk("acTL", u32(0x7fff_ffff), u32(0)),
          pixels(27),
          chunk("fcTL", u32(0), u32(9), u32(9), u32(0), u32(0), Buffer.alloc(6)),
          chunk("fdAT", u32(1), MARKER),
          END,
        ),
      "a PNG as some telephones have it inside": () =>
        png(chunk("CgBI", 0x50, 0, 0x20, 2), header(9, 9), TEXT, pixels(27), END),
      "a PNG of colours that it has not": () =>
        png(header(9, 9, 8, 3, 0, 0, 0), chunk("PLTE", 255, 0, 0), TEXT, pixels(90), END),
    },
  ),
  ...hostile(SIXTY, {
    "a PNG with its place in Exif": () => withPlace(plain()).png().toBuffer(),
    "a PNG of 16 bits, interlaced, that tells": async () => {
      const file = await plain().toColourspace("rgb16").png({ progressive: true }).toBuffer();
      return bytes(file.subarray(0, 33), TEXT, file.subarray(33));
    },
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
  ...hostile(413, {
    "a PNG of 50,000 by 50,000 and one row": () => png(header(50_000, 50_000), TEXT, pixels(6_251), END),
    "a PNG with a second header, of 50,000 by 50,000": () =>
      png(header(9, 9), header(50_000, 50_000), pixels(27), END),
    "a PNG of 16,385 by 1": () => blackPng(16_385, 1, [TEXT]),
  }),
  ...hostile(415, {
    "a PNG with fewer rows than it says": () => png(header(9, 9), TEXT, pixels(20), END),
    "a PNG of no height": () => png(header(9, 0), TEXT, pixels(27), END),
    "a PNG whose header has a wrong checksum": () => wrongSum(blackPng(9, 9, [TEXT]), "IHDR"),
    "a PNG whose pixels have a wrong checksum": () => wrongSum(blackPng(9, 9, [TEXT]), "IDAT"),
    "a PNG without an end": () => png(header(9, 9), TEXT, pixels(27)),
    "a PNG of header and end": () => png(header(9, 9), TEXT, END),
    "a PNG whose chunk has 4 GB": () =>
      png(header(9, 9), bytes(u32(0xffff_ffff), `tEXt${MARKER}`), pixels(27), END),
    "a MNG": () => bytes(Buffer.from("8a4d4e470d0a1a0a", "hex"), MARKER),
  }),
];
