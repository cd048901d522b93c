/** Crops and scales photographs in the browser, so that a phone uploads kilobytes instead of megabytes. */
import type { Gesture } from "./ui/gestures.ts";

/** The side of the pictures that the service keeps, in pixels. */
const STORED_SIDE = 512;
/** A photograph is scaled to this before it is cropped, because phones have little memory. */
const MAX_SIDE = 2_048;

export const readDataUrl = (file: Blob): Promise<string> =>
  new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(file);
  });

/** Reads a photograph, upright. @returns `null` for a file that the browser cannot read */
export const readPhotograph = async (file: Blob): Promise<HTMLCanvasElement | null> => {
  const bitmap = await createImageBitmap(file, { imageOrientation: "from-image" }).catch(() => null);
  if (bitmap === null) return null;
  const scale = Math.min(1, MAX_SIDE / Math.max(bitmap.width, bitmap.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(bitmap.width * scale));
  canvas.height = Math.max(1, Math.round(bitmap.height * scale));
  canvas.getContext("2d")?.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  bitmap.close();
  return canvas;
};

/** Which square of a photograph is taken. */
export interface Crop {
  /** Its middle, in pixels of the photograph. */
  x: number;
  y: number;
  /** How much smaller it is than the largest one, from 1 to `MOST_ZOOM`. */
  zoom: number;
}

interface Size {
  width: number;
  height: number;
}

export const MAX_ZOOM = 4;

const sideOf = ({ width, height }: Size, zoom: number): number => Math.min(width, height) / zoom;

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

/** The nearest square that lies in the photograph. */
export const fitCrop = (size: Size, { x, y, zoom }: Crop): Crop => {
  const clampedZoom = clamp(zoom, 1, MAX_ZOOM);
  const half = sideOf(size, clampedZoom) / 2;
  return { x: clamp(x, half, size.width - half), y: clamp(y, half, size.height - half), zoom: clampedZoom };
};

/** The largest square in the middle. */
export const centredCrop = ({ width, height }: Size): Crop => ({ x: width / 2, y: height / 2, zoom: 1 });

/** The square after a gesture on a frame that shows it. The point of a zoom stays where it is. @param frameSide its side */
export const applyGesture = (
  size: Size,
  crop: Crop,
  frameSide: number,
  { move, factor, origin }: Gesture,
): Crop => {
  const before = sideOf(size, crop.zoom) / frameSide;
  const zoom = clamp(crop.zoom * factor, 1, MAX_ZOOM);
  const after = sideOf(size, zoom) / frameSide;
  const moved = (at: number, by: number, from: number): number =>
    at - by * before + (from - frameSide / 2) * (before - after);
  return fitCrop(size, { x: moved(crop.x, move.x, origin.x), y: moved(crop.y, move.y, origin.y), zoom });
};

/** Draws a square of a photograph so that it fills a canvas. */
export const drawCrop = (photograph: HTMLCanvasElement, crop: Crop, canvas: HTMLCanvasElement): void => {
  const side = sideOf(photograph, crop.zoom);
  const [left, top] = [crop.x - side / 2, crop.y - side / 2];
  const context = canvas.getContext("2d");
  if (context === null) return;
  context.imageSmoothingQuality = "high";
  context.drawImage(photograph, left, top, side, side, 0, 0, canvas.width, canvas.height);
};

/** Returns a square of a photograph as a data URL of at most 512 × 512 pixels. */
export const cropToDataUrl = (photograph: HTMLCanvasElement, crop: Crop): string => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.min(STORED_SIDE, Math.round(sideOf(photograph, crop.zoom)));
  drawCrop(photograph, crop, canvas);
  const picture = canvas.toDataURL("image/webp", 0.85);
  // Safari cannot write WebP, and would answer with a large PNG.
  return picture.startsWith("data:image/webp") ? picture : canvas.toDataURL("image/jpeg", 0.85);
};
