/**
 * AVIF: how many pixels will really be decoded. A picture may be put together of tiles, and a tile may stand in it
 * many times: 1 KB of tiles, each larger than all that is shown, keeps a processor busy for minutes.
 */
import { requireDimensions, requirePixelCount, unsupportedPicture } from "./limits.ts";

const AVIF_BRANDS = ["avif", "avis"];

interface Box {
  type: string;
  data: Buffer;
}

/** Bytes of a box's size and type, and of a size that did not fit there. */
const HEADER = 8;
const LARGE_SIZE = 8;

/** The boxes of a stretch (ISO 14496-12, 4.2). @throws RangeError for one that does not fit */
const boxesOf = (bytes: Buffer): Box[] => {
  const boxes: Box[] = [];
  for (let at = 0; at < bytes.length; ) {
    const size = bytes.readUInt32BE(at);
    const type = bytes.toString("latin1", at + 4, at + HEADER);
    const start = at + HEADER + (size === 1 ? LARGE_SIZE : 0);
    const whole = size === 1 ? Number(bytes.readBigUInt64BE(at + HEADER)) : size;
    // A size of nothing goes on to the end.
    const end = size === 0 ? bytes.length : at + whole;
    if (end < start || end > bytes.length) throw new RangeError(`a box ${type} does not fit`);
    boxes.push({ type, data: bytes.subarray(start, end) });
    at = end;
  }
  return boxes;
};

/** The one box of a type, or nothing. @throws RangeError for two: readers would differ on which counts */
const only = (boxes: readonly Box[], type: string): Buffer => {
  const [first, second] = boxes.filter((box) => box.type === type);
  if (second !== undefined) throw new RangeError(`two boxes ${type}`);
  return first?.data ?? Buffer.alloc(0);
};

/** Bytes of version and flags, with which a full box begins. */
const FULL = 4;

/** Reads numbers one after the other. */
const reader = (bytes: Buffer, from: number) => {
  let at = from;
  return (size: number): number => {
    at += size;
    return bytes.readUIntBE(at - size, size);
  };
};

/**
 * The pixels of each property that is a size (`ispe`), by its number; others have none.
 * @throws DomainError `too_large` for a size that is
 */
const sizesIn = (properties: Buffer): number[] =>
  boxesOf(properties).map(({ type, data }) => {
    if (type !== "ispe") return 0;
    const [width, height] = [data.readUInt32BE(FULL), data.readUInt32BE(FULL + 4)];
    requireDimensions(width, height);
    return width * height;
  });

/** The pixels of each item: the largest of the sizes that are associated with it (`ipma`). */
const pixelsOfItems = (associations: Buffer, sizes: readonly number[]): Map<number, number> => {
  const pixels = new Map<number, number>();
  if (associations.length === 0) return pixels;
  const [idSize, indexSize] = [
    associations.readUInt8(0) === 0 ? 2 : 4,
    associations.readUInt8(3) & 1 ? 2 : 1,
  ];
  const read = reader(associations, FULL);
  for (let entries = read(4); entries > 0; entries -= 1) {
    const id = read(idSize);
    for (let properties = read(1); properties > 0; properties -= 1) {
      // The highest bit says that the property matters.
      const index = read(indexSize) & (indexSize === 2 ? 0x7fff : 0x7f);
      pixels.set(id, Math.max(pixels.get(id) ?? 0, sizes[index - 1] ?? 0));
    }
  }
  return pixels;
};

/** Of which tiles a derived image is put together (`dimg`), one after the other. */
const derivedImages = (references: Buffer): Map<number, number[]> => {
  const derived = new Map<number, number[]>();
  if (references.length === 0) return derived;
  const idSize = references.readUInt8(0) === 0 ? 2 : 4;
  for (const { type, data } of boxesOf(references.subarray(FULL))) {
    if (type !== "dimg") continue;
    const read = reader(data, 0);
    const id = read(idSize);
    const tiles = Array.from({ length: read(2) }, () => read(idSize));
    derived.set(id, [...(derived.get(id) ?? []), ...tiles]);
  }
  return derived;
};

/**
 * How many pixels decoding takes at most: those of the largest image, as many times as there are tiles. Which of them
 * is the picture, which its transparency or a tile's, makes no difference then. The decoder sees to it that no image
 * is larger than its size says.
 * @throws RangeError when the file cannot be followed; DomainError `too_large` for a size that is
 */
const decodedPixels = (bytes: Buffer): number => {
  const meta = boxesOf(only(boxesOf(bytes), "meta").subarray(FULL));
  const properties = boxesOf(only(meta, "iprp"));
  const items = pixelsOfItems(only(properties, "ipma"), sizesIn(only(properties, "ipco")));
  const derived = derivedImages(only(meta, "iref"));
  const tiles = [...derived.values()].flat();
  if (tiles.some((id) => derived.has(id))) throw new RangeError("tiles of tiles");
  let largest = 0;
  for (const [id, pixels] of items) if (!derived.has(id)) largest = Math.max(largest, pixels);
  return largest * Math.max(1, tiles.length);
};

/** Whether a file says that it is AVIF, as its first brand or another. */
export const isAvif = (bytes: Buffer): boolean => {
  if (bytes.length < 16 || bytes.toString("latin1", 4, 8) !== "ftyp") return false;
  const brands = bytes.toString("latin1", 8, Math.min(bytes.readUInt32BE(0), bytes.length));
  return (brands.match(/.{4}/gs) ?? []).some((brand) => AVIF_BRANDS.includes(brand));
};

/**
 * The AVIF as it is.
 * @throws DomainError `too_large` when it is put together of too many pixels, `unsupported_media_type`
 */
export const prepareAvif = (bytes: Buffer): Buffer => {
  let pixels: number;
  try {
    pixels = decodedPixels(bytes);
  } catch (error) {
    if (error instanceof RangeError) throw unsupportedPicture();
    throw error;
  }
  requirePixelCount(pixels);
  return bytes;
};
