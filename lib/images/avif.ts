/**
 * AVIF: counts the pixels that decoding takes. A picture can be a grid that repeats a tile many times: 1 KB of
 * references to tiles, each larger than the visible picture, keeps a processor busy for minutes.
 */
import { requireDimensions, requireMaxPixels, unsupportedPicture } from "./limits.ts";

const AVIF_BRANDS = ["avif", "avis"];

interface Box {
  type: string;
  data: Buffer;
}

/** Bytes of a box's size and type, and of a 64-bit size after them. */
const HEADER_BYTES = 8;
const LARGE_SIZE_BYTES = 8;

/** The most boxes side by side. Pictures have dozens, and 4 MiB could hold half a million. */
const MAX_BOXES = 10_000;

/** The boxes in a range of bytes (ISO 14496-12, 4.2). @throws RangeError for a box that does not fit, or too many */
const boxesOf = (bytes: Buffer): Box[] => {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + HEADER_BYTES);
    const start = at + HEADER_BYTES + (size === 1 ? LARGE_SIZE_BYTES : 0);
    const length = size === 1 ? Number(bytes.readBigUInt64BE(at + HEADER_BYTES)) : size;
    // A size of 0 means up to the end.
    const end = size === 0 ? bytes.length : at + length;
    if (boxes.length === MAX_BOXES) throw new RangeError("too many boxes");
    if (end < start || end > bytes.length) throw new RangeError(`a box ${type} does not fit`);
    boxes.push({ type, data: bytes.subarray(start, end) });
    at = end;
  }
  return boxes;
};

/** The box of a type, or an empty one. @throws RangeError for two, because decoders would differ on which counts */
const singleBox = (boxes: readonly Box[], type: string): Buffer => {
  const [first, second] = boxes.filter((box) => box.type === type);
  if (second !== undefined) throw new RangeError(`two boxes ${type}`);
  return first?.data ?? Buffer.alloc(0);
};

/** Bytes of version and flags at the start of a full box. */
const FULL_BOX_BYTES = 4;

/** Reads big-endian numbers in sequence. */
const reader = (bytes: Buffer, from: number) => {
  let at = from;
  return (size: number): number => {
    at += size;
    return bytes.readUIntBE(at - size, size);
  };
};

/**
 * The pixels of each size property (`ispe`), by the property's index; 0 for other properties.
 * @throws DomainError `too_large`
 */
const sizesIn = (properties: Buffer): number[] =>
  boxesOf(properties).map(({ type, data }) => {
    if (type !== "ispe") return 0;
    const [width, height] = [data.readUInt32BE(FULL_BOX_BYTES), data.readUInt32BE(FULL_BOX_BYTES + 4)];
    requireDimensions(width, height);
    return width * height;
  });

/** The pixels of each item: the largest size that is associated with it (`ipma`). */
const pixelsOfItems = (associations: Buffer, sizes: readonly number[]): Map<number, number> => {
  const pixels = new Map<number, number>();
  if (associations.length === 0) return pixels;
  const [idSize, indexSize] = [
    associations.readUInt8(0) === 0 ? 2 : 4,
    associations.readUInt8(3) & 1 ? 2 : 1,
  ];
  const read = reader(associations, FULL_BOX_BYTES);
  for (let entries = read(4); entries > 0; entries -= 1) {
    const id = read(idSize);
    for (let properties = read(1); properties > 0; properties -= 1) {
      // The highest bit marks the property as essential.
      const index = read(indexSize) & (indexSize === 2 ? 0x7fff : 0x7f);
      pixels.set(id, Math.max(pixels.get(id) ?? 0, sizes[index - 1] ?? 0));
    }
  }
  return pixels;
};

/** The tiles of each derived image (`dimg`), in order. */
const derivedImages = (references: Buffer): Map<number, number[]> => {
  const derived = new Map<number, number[]>();
  if (references.length === 0) return derived;
  const idSize = references.readUInt8(0) === 0 ? 2 : 4;
  for (const { type, data } of boxesOf(references.subarray(FULL_BOX_BYTES))) {
    if (type !== "dimg") continue;
    const read = reader(data, 0);
    const id = read(idSize);
    const tiles = derived.get(id) ?? [];
    // Adds to the list itself: a copy for each of many boxes would take minutes.
    for (let more = read(2); more > 0; more -= 1) tiles.push(read(idSize));
    derived.set(id, tiles);
  }
  return derived;
};

/**
 * The maximum number of pixels that decoding takes: those of the largest image, times the number of tiles. So it does
 * not matter which image is the picture, a tile or an alpha channel. The decoder ensures that no image is larger than
 * its size property.
 * @throws RangeError for a malformed file; DomainError `too_large`
 */
const decodedPixels = (bytes: Buffer): number => {
  const meta = boxesOf(singleBox(boxesOf(bytes), "meta").subarray(FULL_BOX_BYTES));
  const properties = boxesOf(singleBox(meta, "iprp"));
  const items = pixelsOfItems(singleBox(properties, "ipma"), sizesIn(singleBox(properties, "ipco")));
  const derived = derivedImages(singleBox(meta, "iref"));
  const tiles = [...derived.values()].flat();
  if (tiles.some((id) => derived.has(id))) throw new RangeError("tiles of tiles");
  let largest = 0;
  for (const [id, pixels] of items) if (!derived.has(id)) largest = Math.max(largest, pixels);
  return largest * Math.max(1, tiles.length);
};

/** Whether any brand of a file is AVIF. */
export const isAvif = (bytes: Buffer): boolean => {
  if (bytes.length < 16 || bytes.toString("latin1", 4, 8) !== "ftyp") return false;
  const brands = bytes.toString("latin1", 8, Math.min(bytes.readUInt32BE(0), bytes.length));
  return (brands.match(/.{4}/gs) ?? []).some((brand) => AVIF_BRANDS.includes(brand));
};

/**
 * Returns the AVIF unchanged.
 * @throws DomainError `too_large` when decoding takes too many pixels; `unsupported_media_type` for a malformed file
 */
export const prepareAvif = (bytes: Buffer): Buffer => {
  let pixels: number;
  try {
    pixels = decodedPixels(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw unsupportedPicture();
    throw error;
  }
  requireMaxPixels(pixels);
  return bytes;
};
