/**
 * Decodes a file to bare pixels and encodes these as a small WebP, so that nothing else of the file is kept. This runs in
 * the child process. It must not import a module that the service imports too: the bundler would put that into the
 * function's file, and the child would load all of it. So limits are arguments, and refusals are values.
 */
import type Sharp from "sharp";

/** What the decoder calls the kinds of files that it takes. */
export type Format = "png" | "jpeg" | "webp" | "gif" | "heif";

/** What is to be decoded, beside the bytes themselves. */
export interface DecodeOptions {
  format: Format;
  maxPixels: number;
  maxSidePixels: number;
}

/** The result: a WebP that fits into an item of the table, or the reason why the file is refused. */
export type Decoded =
  | { width: number; height: number; bytes: Buffer }
  | { refused: "not_a_picture" | "too_large" };

/** Neither side of a kept picture is longer, in pixels. */
const KEPT_SIDE = 512;

/** An item of the table may have 400 KB, names and all. */
const MOST_BYTES = 350 * 1024;

/** Qualities of WebP, tried in this order until the picture fits; with the last one even noise does. */
const QUALITIES = [80, 60, 40, 20];

/** sharp would read SVG, TIFF and more, and files by their names. Each of these reads one kind, from memory. */
const LOADERS = [
  "VipsForeignLoadPngBuffer",
  "VipsForeignLoadJpegBuffer",
  "VipsForeignLoadWebpBuffer",
  "VipsForeignLoadNsgifBuffer",
  "VipsForeignLoadHeifBuffer",
];

const openSharp = async (): Promise<typeof Sharp> => {
  const { default: sharp } = await import("sharp");
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: LOADERS });
  // No picture is ever decoded twice, and threads of libvips' own cost more memory than they save time.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
};

/** An error of the decoder is the file's fault. Its text is not passed on: it names libraries. */
const refusalOf = (error: unknown): { refused: "not_a_picture" | "too_large" } => {
  const why = error instanceof Error ? error.message : "";
  return { refused: /pixel limit|out of memory/.test(why) ? "too_large" : "not_a_picture" };
};

/** The bare pixels of a file, upright and small enough to be kept. @throws Error of the decoder */
const pixelsOf = (sharp: typeof Sharp, file: Buffer, limitInputPixels: number) =>
  sharp(file, { limitInputPixels, failOn: "error" })
    .autoOrient()
    .resize({ width: KEPT_SIDE, height: KEPT_SIDE, fit: "inside", withoutEnlargement: true })
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });

/**
 * Decodes a file: upright, at most 512 pixels a side, the first frame of an animation. The library that decodes it has to
 * find the same format and size as before.
 * @param file bytes that were examined before (lib/images/normalize.ts)
 * @throws Error when the library cannot be loaded, or a picture does not get small enough
 */
export const decode = async (
  file: Buffer,
  { format, maxPixels: mostPixels, maxSidePixels: longestSide }: DecodeOptions,
): Promise<Decoded> => {
  const sharp = await openSharp();
  let pixels: Awaited<ReturnType<typeof pixelsOf>>;
  try {
    const head = await sharp(file, { limitInputPixels: false, failOn: "error" }).metadata();
    if (head.format !== format || (format === "heif" && head.compression !== "av1")) {
      return { refused: "not_a_picture" };
    }
    const { width, height } = head;
    if (Math.max(width, height) > longestSide || width * height > mostPixels) return { refused: "too_large" };
    pixels = await pixelsOf(sharp, file, mostPixels);
  } catch (error) {
    return refusalOf(error);
  }

  const { width, height, channels } = pixels.info;
  for (const quality of QUALITIES) {
    const image = sharp(pixels.data, { raw: { width, height, channels } });
    const bytes = await image.webp({ quality, alphaQuality: quality }).toBuffer();
    if (bytes.length < MOST_BYTES) return { width, height, bytes };
  }
  throw new Error("a picture does not get small enough");
};
