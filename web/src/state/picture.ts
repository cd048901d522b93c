/** Crops and scales photographs in the browser, so that phones upload kilobytes instead of megabytes. */

/** A point in pixels: of an element, from its top left corner, or of a picture. */
export interface Point {
  x: number;
  y: number;
}

/** A pan by `move` pixels and a zoom by `factor` around `origin`. */
export interface Gesture {
  move: Point;
  factor: number;
  origin: Point;
}

/** The side of the pictures that the service stores, in pixels. */
const STORED_SIDE = 512;
/** Photographs are scaled down to this side before they are cropped, because phones have little memory. In pixels. */
const MAX_SIDE = 2_048;

/** Decodes what `createImageBitmap` refuses and the browser can show nevertheless, as Safari does HEIC. */
const decodeShown = async (file: Blob): Promise<ImageBitmap | null> => {
  const image = new Image();
  image.src = URL.createObjectURL(file);
  try {
    await image.decode();
    return await createImageBitmap(image);
  } catch {
    return null;
  } finally {
    URL.revokeObjectURL(image.src);
  }
};

/** Decodes a photograph and applies its EXIF orientation. Returns `null` for a file that the browser cannot decode. */
export const readPhotograph = async (file: Blob): Promise<HTMLCanvasElement | null> => {
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() =>
    decodeShown(file),
  );
  if (bitmap === null) return null;
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas;
};

/** A square section of a photograph. */
export interface Crop {
  /** The centre, in pixels of the photograph. */
  x: number;
  y: number;
  /** From 1, which is the largest possible square, to `MAX_ZOOM`. */
  zoom: number;
}

interface Size {
  width: number;
  height: number;
}

export const MAX_ZOOM = 4;

const sideOf = ({ width, height }: Size, zoom: number): number => Math.min(width, height) / zoom;

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/** Moves and scales a crop so that it lies within the photograph. */
export const fitCrop = (size: Size, { x, y, zoom }: Crop): Crop => {
  const clampedZoom = clamp(zoom, 1, MAX_ZOOM);
  const half = sideOf(size, clampedZoom) / 2;
  return { x: clamp(x, half, size.width - half), y: clamp(y, half, size.height - half), zoom: clampedZoom };
};

/** Returns the largest square, centred. */
export const centredCrop = ({ width, height }: Size): Crop => ({ x: width / 2, y: height / 2, zoom: 1 });

/** Applies a gesture to a crop; a zoom keeps its origin fixed. @param frameSide the crop's side on the screen, in pixels */
export const applyGesture = (
  size: Size,
  crop: Crop,
  frameSide: number,
  { move, factor, origin }: Gesture,
): Crop => {
  const before = sideOf(size, crop.zoom) / frameSide;
  const zoom = clamp(crop.zoom * factor, 1, MAX_ZOOM);
  const after = sideOf(size, zoom) / frameSide;
  const shift = (at: number, by: number, from: number): number =>
    at - by * before + (from - frameSide / 2) * (before - after);
  return fitCrop(size, { x: shift(crop.x, move.x, origin.x), y: shift(crop.y, move.y, origin.y), zoom });
};

/** Draws a crop so that it fills a canvas. */
export const drawCrop = (photograph: HTMLCanvasElement, crop: Crop, canvas: HTMLCanvasElement): void => {
  const side = sideOf(photograph, crop.zoom);
  const [left, top] = [crop.x - side / 2, crop.y - side / 2];
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.imageSmoothingQuality = "high";
  context.drawImage(photograph, left, top, side, side, 0, 0, canvas.width, canvas.height);
};

/** Returns a crop as a data URL of at most 512 × 512 pixels. */
export const cropToDataUrl = (photograph: HTMLCanvasElement, crop: Crop): string => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.min(STORED_SIDE, Math.round(sideOf(photograph, crop.zoom)));
  drawCrop(photograph, crop, canvas);
  const picture = canvas.toDataURL("image/webp", 0.85);
  // Safari cannot encode WebP and falls back to a large PNG.
  return picture.startsWith("data:image/webp") ? picture : canvas.toDataURL("image/jpeg", 0.85);
};
