/** The limits of pictures, and the errors for files that are rejected. */
import { DomainError } from "../domain/domainError.ts";

export const MAX_PIXELS = 50_000_000;

/**
 * The limit of either side, which is close to WebP's own. Decoders work row by row, and a picture of one pixel by 50
 * million took libvips nine seconds.
 */
export const MAX_SIDE_PIXELS = 16_384;

/** The error for a file that is broken or of an unsupported format. */
export const unsupportedPicture = (): DomainError =>
  new DomainError(
    "unsupported_media_type",
    "A picture must be a PNG, JPEG, WebP, GIF or AVIF; this file is none of them, or it is broken.",
  );

/** The error for a picture with too many pixels. */
export const pictureTooLarge = (): DomainError =>
  new DomainError(
    "too_large",
    `A picture may have at most ${MAX_PIXELS / 1e6} megapixels, and ${MAX_SIDE_PIXELS.toLocaleString("en")} pixels on each side.`,
  );

/** Checks the sides of a picture, in pixels. @throws DomainError `too_large` */
export const requireDimensions = (width: number, height: number): void => {
  if (Math.max(width, height) > MAX_SIDE_PIXELS || width * height > MAX_PIXELS) throw pictureTooLarge();
};
