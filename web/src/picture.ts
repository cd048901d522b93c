/** Crops and scales photographs in the browser, so that a phone uploads kilobytes instead of megabytes. */

/** The side of the pictures that the service keeps, in pixels. */
const SIDE = 512;

/**
 * Returns the middle of a photograph as a square of 512 × 512 pixels. A file that the browser cannot read is returned as it
 * is, so that the service says what is wrong with it.
 */
export const squarePicture = async (file: Blob): Promise<Blob> => {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (bitmap === null) return file;
  const { width, height } = bitmap;
  const side = Math.min(width, height);
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.min(SIDE, side);
  canvas
    .getContext("2d")
    ?.drawImage(
      bitmap,
      (width - side) / 2,
      (height - side) / 2,
      side,
      side,
      0,
      0,
      canvas.width,
      canvas.height,
    );
  bitmap.close();
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/webp", 0.9));
  return blob ?? file;
};
