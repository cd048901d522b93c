/** Hostile PNGs. */
import { deflateSync } from "node:zlib";
import { blackPng, bytes, chunk, type Hostile, PNG_SIGNATURE, plain, u32 } from "../../support/pictures.ts";
import { HTML, hostile, MARKER, PHP, packedZeros, SIXTY, tellingChunks, withPlace, zip } from "./marked.ts";

const header = (width: number, height: number, ...kind: number[]): Buffer =>
  chunk(
    "IHDR",
    Buffer.concat([u32(width), u32(height), bytes(...(kind.length > 0 ? kind : [1, 0, 0, 0, 0]))]),
  );

const png = (...chunks: Buffer[]): Buffer => Buffer.concat([PNG_SIGNATURE, ...chunks]);

const pixels = (length: number, value = 0): Buffer =>
  chunk("IDAT", deflateSync(Buffer.alloc(length, value), { level: 9 }));
const END = chunk("IEND");
const TEXT = chunk("tEXt", Buffer.from(`Comment\0${MARKER}`));

/** With one bit of the checksum of a chunk turned over. */
const wrongSum = (file: Buffer, type: string): Buffer => {
  const copy = Buffer.from(file);
  const at = copy.indexOf(type);
  const sum = at + 4 + copy.readUInt32BE(at - 4);
  copy.writeUInt8(copy.readUInt8(sum) ^ 1, sum);
  return copy;
};

const NINE = { width: 9, height: 9 };

export const PNGS: readonly Hostile[] = [
  hostile("a PNG that tells all it can", NINE, async () => blackPng(9, 9, await tellingChunks())),
  hostile("a PNG with its place in Exif", SIXTY, () => withPlace(plain()).png().toBuffer()),
  hostile("a PNG that is a ZIP too", NINE, () => Buffer.concat([blackPng(9, 9), zip()])),
  hostile("a PNG whose pixels are PHP", { width: 30, height: 1 }, () => {
    const row = Buffer.concat([bytes(0), Buffer.from(PHP.padEnd(90))]);
    return png(header(30, 1, 8, 2, 0, 0, 0), chunk("IDAT", deflateSync(row, { level: 0 })), END);
  }),
  hostile("a PNG of 50,000 by 50,000 and one row", 413, () =>
    png(header(50_000, 50_000), TEXT, pixels(6_251), END),
  ),
  hostile("a PNG with a second header, of 50,000 by 50,000", 413, () =>
    png(header(9, 9), header(50_000, 50_000), pixels(27), END),
  ),
  hostile("a PNG with a profile that unpacks to 2 GB", NINE, () =>
    png(
      header(9, 9),
      chunk("iCCP", Buffer.concat([Buffer.from("p\0\0"), packedZeros(2_000)])),
      pixels(27),
      END,
    ),
  ),
  hostile("a PNG with a text that unpacks to 2 GB", NINE, () =>
    png(
      header(9, 9),
      chunk("zTXt", Buffer.concat([Buffer.from("c\0\0"), packedZeros(2_000)])),
      pixels(27),
      END,
    ),
  ),
  hostile("a PNG of 9 by 9 whose pixels unpack to 400 MB", NINE, () =>
    png(header(9, 9), TEXT, chunk("IDAT", packedZeros(400)), END),
  ),
  hostile("a PNG with fewer rows than it says", 415, () => png(header(9, 9), TEXT, pixels(20), END)),
  hostile("a PNG of no height", 415, () => png(header(9, 0), TEXT, pixels(27), END)),
  hostile("a PNG whose header has a wrong checksum", 415, () => wrongSum(blackPng(9, 9), "IHDR")),
  hostile("a PNG whose pixels have a wrong checksum", 415, () => wrongSum(blackPng(9, 9), "IDAT")),
  hostile("a PNG without an end", 415, () => png(header(9, 9), TEXT, pixels(27))),
  hostile("a PNG of nothing but its first eight bytes", 415, () => PNG_SIGNATURE),
  hostile("a PNG of header and end", 415, () => png(header(9, 9), TEXT, END)),
  hostile("a PNG whose chunk has 4 GB", 415, () =>
    png(header(9, 9), Buffer.concat([u32(0xffff_ffff), Buffer.from(`tEXt${MARKER}`)]), pixels(27), END),
  ),
  hostile("a PNG that moves, with another picture", NINE, () =>
    png(
      header(9, 9),
      chunk("acTL", Buffer.concat([u32(0x7fff_ffff), u32(0)])),
      pixels(27),
      chunk("fcTL", Buffer.concat([u32(0), u32(9), u32(9), u32(0), u32(0), Buffer.alloc(6)])),
      chunk("fdAT", Buffer.concat([u32(1), Buffer.from(MARKER)])),
      END,
    ),
  ),
  hostile("a PNG of 16 bits, interlaced, that tells", SIXTY, async () => {
    const file = await plain().toColourspace("rgb16").png({ progressive: true }).toBuffer();
    return Buffer.concat([file.subarray(0, 33), TEXT, file.subarray(33)]);
  }),
  hostile("a PNG of 1 by 16,384", { width: 1, height: 512 }, () => blackPng(1, 16_384, [TEXT])),
  hostile("a PNG of 16,385 by 1", 413, () => blackPng(16_385, 1, [TEXT])),
  hostile("a PNG as some telephones have it inside", NINE, () =>
    png(chunk("CgBI", bytes(0x50, 0, 0x20, 2)), header(9, 9), TEXT, pixels(27), END),
  ),
  hostile("a PNG of colours that it has not", NINE, () =>
    png(header(9, 9, 8, 3, 0, 0, 0), chunk("PLTE", bytes(255, 0, 0)), TEXT, pixels(90, 0), END),
  ),
  hostile("a PNG whose head alone is true", 415, () =>
    Buffer.concat([PNG_SIGNATURE, header(9, 9), Buffer.from(HTML)]),
  ),
  hostile("a MNG", 415, () => Buffer.concat([Buffer.from("8a4d4e470d0a1a0a", "hex"), Buffer.from(MARKER)])),
];
