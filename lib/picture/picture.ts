/**
 * Pictures: whatever a player sends becomes a small WebP, or is refused. Nothing of the file is kept: the picture
 * is decoded to bare pixels, and these are encoded anew.
 */
import { Refusal } from "../domain/refusal.ts";
import { boundedAvif, isAvif } from "./avif.ts";
import { boundedGif, boundedWebp } from "./canvas.ts";
import { openSharp } from "./decoder.ts";
import { MOST_PIXELS, notAPicture, requireFewPixels, tooLarge } from "./fault.ts";
import { boundedJpeg } from "./jpeg.ts";
import { essentialPng, PNG_SIGNATURE } from "./png.ts";

/** A picture as it is kept. */
export interface Picture {
  /** WebP, less than {@link MOST_BYTES}. */
  bytes: Buffer;
  width: number;
  height: number;
}

/** Neither side is longer, in pixels. */
const LONGEST_SIDE = 512;

/** An item of the table may have 400 KB, names and all. */
const MOST_BYTES = 350 * 1024;

/** From good to what even noise fits with. */
const QUALITIES = [80, 60, 40, 20];

/** However it is that a file takes this long, nobody waits for it. */
const MOST_SECONDS = 10;

interface Kind {
  /** What the decoder calls it. */
  format: "png" | "jpeg" | "webp" | "gif" | "heif";
  is: (bytes: Buffer) => boolean;
  /** The file as it is decoded: its header says that it is not huge, and what could make that dear is gone. */
  bounded: (bytes: Buffer) => Buffer;
}

const text = (bytes: Buffer, from: number, to: number): string => bytes.toString("latin1", from, to);

const KINDS: readonly Kind[] = [
  {
    format: "png",
    is: (bytes) => PNG_SIGNATURE.equals(bytes.subarray(0, PNG_SIGNATURE.length)),
    bounded: essentialPng,
  },
  { format: "jpeg", is: (bytes) => text(bytes, 0, 3) === "\xff\xd8\xff", bounded: boundedJpeg },
  {
    format: "webp",
    is: (bytes) => text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 12) === "WEBP",
    bounded: boundedWebp,
  },
  { format: "gif", is: (bytes) => /^GIF8[79]a$/.test(text(bytes, 0, 6)), bounded: boundedGif },
  { format: "heif", is: isAvif, bounded: boundedAvif },
];

/** Whatever the decoder says of a file is the file's fault, and no one's to read. */
const decoding = async <T>(work: Promise<T>): Promise<T> => {
  try {
    return await work;
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    if (why.includes("timeout")) {
      throw new Refusal("too_large", `A picture must not take over ${MOST_SECONDS} seconds to decode.`);
    }
    throw why.includes("pixel limit") ? tooLarge() : notAPicture();
  }
};

/**
 * The picture that a file holds, upright, at most 512 pixels a side, without anything else that it holds. Of an
 * animation it is the first frame.
 * @throws Refusal `unsupported_media_type` when it is no PNG, JPEG, WebP, GIF or AVIF, judged by its bytes, or a
 * broken one; `too_large` when it has more pixels than are decoded
 */
export const makePicture = async (given: Uint8Array): Promise<Picture> => {
  const file = Buffer.from(given.buffer, given.byteOffset, given.byteLength);
  const kind = KINDS.find(({ is }) => is(file));
  if (kind === undefined) throw notAPicture();
  const bytes = kind.bounded(file);

  const sharp = await openSharp();
  const head = await decoding(sharp(bytes, { limitInputPixels: false, failOn: "error" }).metadata());
  if (head.format !== kind.format || (head.format === "heif" && head.compression !== "av1")) {
    throw notAPicture();
  }
  requireFewPixels(head.width, head.height);

  const { data, info } = await decoding(
    sharp(bytes, { limitInputPixels: MOST_PIXELS, failOn: "error" })
      .autoOrient()
      .resize({ width: LONGEST_SIDE, height: LONGEST_SIDE, fit: "inside", withoutEnlargement: true })
      .toColourspace("srgb")
      .timeout({ seconds: MOST_SECONDS })
      .raw()
      .toBuffer({ resolveWithObject: true }),
  );

  const { width, height, channels } = info;
  for (const quality of QUALITIES) {
    const pixels = sharp(data, { raw: { width, height, channels } });
    const webp = await pixels.webp({ quality, alphaQuality: quality }).toBuffer();
    if (webp.length < MOST_BYTES) return { bytes: webp, width, height };
  }
  throw new Error("a picture does not get small enough");
};
