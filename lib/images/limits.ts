/** How large a picture may be, and why a file is refused as a picture. */
import { DomainError } from "../domain/domainError.ts";

/** A picture may have this many pixels: 50 megapixels. */
export const MAX_PIXELS = 50_000_000;

/**
 * Neither side may be longer, in pixels; WebP itself goes no further. Decoders work row by row, and a picture of one
 * pixel by 50 million took libvips nine seconds.
 */
export const MAX_SIDE_PIXELS = 16_384;

/** A file that is no picture of a kind that is taken, or a broken one. */
export const unsupportedPicture = (): DomainError =>
  new DomainError(
    "unsupported_media_type",
    "A picture must be a PNG, JPEG, WebP, GIF or AVIF; this is none, or it is broken.",
  );

/** A picture that is small as a file and huge as a picture. */
export const pictureTooLarge = (): DomainError =>
  new DomainError(
    "too_large",
    `A picture may have at most ${MAX_PIXELS / 1e6} megapixels, and ${MAX_SIDE_PIXELS.toLocaleString("en")} pixels on each side.`,
  );

/** Passes for a number of pixels that may be decoded. @throws DomainError `too_large` */
export const requirePixelCount = (pixels: number): void => {
  if (pixels > MAX_PIXELS) throw pictureTooLarge();
};

/** Passes for a picture that may be decoded, by its sides in pixels. @throws DomainError `too_large` */
export const requireDimensions = (width: number, height: number): void => {
  if (Math.max(width, height) > MAX_SIDE_PIXELS) throw pictureTooLarge();
  requirePixelCount(width * height);
};
