/** How large a picture may be, and why a file is refused as a picture. */
import { DomainError } from "../domain/domainError.ts";

/** A picture may have this many pixels: 50 megapixels. */
export const MOST_PIXELS = 50_000_000;

/**
 * Neither side may be longer, in pixels; WebP itself goes no further. Decoders work row by row, and a picture of one
 * pixel by 50 million took libvips nine seconds.
 */
export const LONGEST_SIDE = 16_384;

/** A file that is no picture of a kind that is taken, or a broken one. */
export const notAPicture = (): DomainError =>
  new DomainError(
    "unsupported_media_type",
    "A picture must be a PNG, JPEG, WebP, GIF or AVIF; this is none, or it is broken.",
  );

/** A picture that is small as a file and huge as a picture. */
export const tooLarge = (): DomainError =>
  new DomainError(
    "too_large",
    `A picture may have at most ${MOST_PIXELS / 1e6} megapixels, and ${LONGEST_SIDE.toLocaleString("en")} pixels on each side.`,
  );

/** Passes for a number of pixels that may be decoded. @throws DomainError `too_large` */
export const requireFewPixels = (pixels: number): void => {
  if (pixels > MOST_PIXELS) throw tooLarge();
};

/** Passes for a picture that may be decoded, by its sides in pixels. @throws DomainError `too_large` */
export const requireSize = (width: number, height: number): void => {
  if (Math.max(width, height) > LONGEST_SIDE) throw tooLarge();
  requireFewPixels(width * height);
};
