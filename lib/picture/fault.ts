/** Why a file is refused as a picture. */
import { Refusal } from "../domain/refusal.ts";

/** A picture may have this many pixels: 50 megapixels. */
export const MOST_PIXELS = 50_000_000;

/** A file that is no picture of a kind that is taken, or a broken one. */
export const notAPicture = (): Refusal =>
  new Refusal(
    "unsupported_media_type",
    "A picture must be a PNG, JPEG, WebP, GIF or AVIF; this is none, or it is broken.",
  );

/** A picture that is small as a file and huge as a picture. */
export const tooLarge = (): Refusal =>
  new Refusal("too_large", `A picture may have at most ${MOST_PIXELS / 1e6} megapixels.`);

/** Passes for a picture that may be decoded. @throws Refusal `too_large` */
export const requireFewPixels = (width: number, height: number): void => {
  if (width * height > MOST_PIXELS) throw tooLarge();
};
