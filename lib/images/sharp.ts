/**
 * Decodes a file to pixels and encodes them as a small WebP, so that nothing else of the file is kept. This runs in the
 * child process. It must not import a module of the service: the bundler would put that into the function's file, and
 * the child would load all of it. So limits are arguments, and rejections are return values.
 */
import type Sharp from "sharp";

/** The formats, by sharp's names. */
export type Format = "png" | "jpeg" | "webp" | "gif" | "heif";

export interface DecodeOptions {
  format: Format;
  maxPixels: number;
  maxSidePixels: number;
}

/** A WebP that fits into an item of the table, or why the file is rejected. */
export type DecodeResult =
  | { width: number; height: number; bytes: Buffer }
  | { rejected: "not_a_picture" | "too_large" };

/** The limit of either side of a stored picture. */
const STORED_SIDE_PIXELS = 512;

/** An item of the table can have 400 KB, including attribute names. */
const MAX_BYTES = 350 * 1024;

/** Qualities of WebP, tried in this order until the picture fits. With the last one, even random noise fits. */
const QUALITIES = [80, 60, 40, 20];

/** The allowed loaders, each of one format and from memory. sharp would also read SVG, TIFF, and files by name. */
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
  // No picture is decoded twice, and more threads of libvips cost more memory than they save time.
  sharp.cache(false);
  sharp.concurrency(1);
  return sharp;
};

/**
 * The reason for an error of the decoder. Its message is not passed on, because it names libraries. The references in an
 * `iref` box are the tiles of an AVIF, of which libheif allows 256.
 */
const rejectionOf = (error: unknown): { rejected: "not_a_picture" | "too_large" } => {
  const message = error instanceof Error ? error.message : "";
  return {
    rejected: /pixel limit|out of memory|references in iref/.test(message) ? "too_large" : "not_a_picture",
  };
};

/** Decodes the pixels of a file, upright and scaled down. @throws Error of the decoder */
const pixelsOf = (sharp: typeof Sharp, file: Buffer, limitInputPixels: number) =>
  sharp(file, { limitInputPixels, failOn: "error" })
    .autoOrient()
    .resize({
      width: STORED_SIDE_PIXELS,
      height: STORED_SIDE_PIXELS,
      fit: "inside",
      withoutEnlargement: true,
    })
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });

/**
 * Decodes a file to an upright picture of at most 512 pixels a side; of an animation, the first frame. The format and
 * the size that the decoder finds are checked again.
 * @param file bytes that were examined before (lib/images/normalize.ts)
 * @throws Error when the library cannot be loaded, or no quality makes the picture small enough
 */
export const decode = async (
  file: Buffer,
  { format, maxPixels, maxSidePixels }: DecodeOptions,
): Promise<DecodeResult> => {
  const sharp = await openSharp();
  let pixels: Awaited<ReturnType<typeof pixelsOf>>;
  try {
    const head = await sharp(file, { limitInputPixels: false, failOn: "error" }).metadata();
    if (head.format !== format || (format === "heif" && head.compression !== "av1")) {
      return { rejected: "not_a_picture" };
    }
    const { width, height } = head;
    if (Math.max(width, height) > maxSidePixels || width * height > maxPixels)
      return { rejected: "too_large" };
    pixels = await pixelsOf(sharp, file, maxPixels);
  } catch (error) {
    return rejectionOf(error);
  }

  const { width, height, channels } = pixels.info;
  for (const quality of QUALITIES) {
    const image = sharp(pixels.data, { raw: { width, height, channels } });
    const bytes = await image.webp({ quality, alphaQuality: quality }).toBuffer();
    if (bytes.length < MAX_BYTES) return { width, height, bytes };
  }
  throw new Error("no quality makes the picture small enough");
};
