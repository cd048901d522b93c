/** Crops and scales photographs in the browser, so that a phone uploads kilobytes instead of megabytes. */

/** The side of the pictures that the service keeps, in pixels. */
const SIDE = 512;

const dataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/**
 * Returns the middle of a photograph as a square of 512 × 512 pixels, as a data URL. A file that the browser cannot read is
 * returned as it is, so that the service says what is wrong with it.
 */
export const squarePicture = async (file: Blob): Promise<string> => {
  const bitmap = await createImageBitmap(file).catch(() => null);
  if (bitmap === null) return dataUrl(file);
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
  return canvas.toDataURL("image/webp", 0.9);
};
