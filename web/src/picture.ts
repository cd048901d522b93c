/** Crops and scales photographs in the browser, so that a phone uploads kilobytes instead of megabytes. */
import type { Gesture } from "./ui/gestures.ts";

/** The side of the pictures that the service keeps, in pixels. */
const SIDE = 512;
/** A photograph is scaled to this before it is cropped, because phones have little memory. */
const MOST = 2_048;

export const dataUrl = (file: Blob): Promise<string> =>
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
  const scale = Math.min(1, MOST / Math.max(bitmap.width, bitmap.height));
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

export const MOST_ZOOM = 4;

const sideOf = ({ width, height }: Size, zoom: number): number => Math.min(width, height) / zoom;

const within = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

/** The nearest square that lies in the photograph. */
export const fitCrop = (size: Size, { x, y, zoom }: Crop): Crop => {
  const allowed = within(zoom, 1, MOST_ZOOM);
  const half = sideOf(size, allowed) / 2;
  return { x: within(x, half, size.width - half), y: within(y, half, size.height - half), zoom: allowed };
};

/** The largest square in the middle. */
export const middleOf = ({ width, height }: Size): Crop => ({ x: width / 2, y: height / 2, zoom: 1 });

/** The square after a gesture on a frame that shows it. The point of a zoom stays where it is. @param shown its side */
export const gestured = (size: Size, crop: Crop, shown: number, { move, factor, about }: Gesture): Crop => {
  const before = sideOf(size, crop.zoom) / shown;
  const zoom = within(crop.zoom * factor, 1, MOST_ZOOM);
  const after = sideOf(size, zoom) / shown;
  const moved = (at: number, by: number, from: number): number =>
    at - by * before + (from - shown / 2) * (before - after);
  return fitCrop(size, { x: moved(crop.x, move.x, about.x), y: moved(crop.y, move.y, about.y), zoom });
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
export const cropped = (photograph: HTMLCanvasElement, crop: Crop): string => {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = Math.min(SIDE, Math.round(sideOf(photograph, crop.zoom)));
  drawCrop(photograph, crop, canvas);
  const picture = canvas.toDataURL("image/webp", 0.85);
  // Safari cannot write WebP, and would answer with a large PNG.
  return picture.startsWith("data:image/webp") ? picture : canvas.toDataURL("image/jpeg", 0.85);
};
