/** Makes pictures, byte by byte where no encoder would make them. */
import { crc32, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";

/** A number below 256, a text in Latin-1, or bytes. */
export type Piece = number | string | Buffer;

/** Pieces one after the other. */
export const bytes = (...pieces: Piece[]): Buffer =>
  Buffer.concat(
    pieces.map((piece) => {
      if (typeof piece === "number") return Buffer.of(piece);
      return typeof piece === "string" ? Buffer.from(piece, "latin1") : piece;
    }),
  );

export const u16 = (value: number): Buffer => bytes(value >> 8, value & 0xff);

export const u32 = (value: number): Buffer => bytes(u16(value >>> 16), u16(value & 0xffff));

/** Numbers with their least byte first. */
export const le16 = (value: number): Buffer => u16(value).reverse();
export const le32 = (value: number): Buffer => u32(value).reverse();

/** A plain picture, for any encoder. */
export const plain = (width = 60, height = 40, channels: 3 | 4 = 3): Sharp =>
  sharp({ create: { width, height, channels, background: { r: 200, g: 80, b: 40, alpha: 0.5 } } });

/** A square PNG of noise, which no encoder makes small. */
export const noisyPng = (side: number): Promise<Buffer> => {
  const noise = { type: "gaussian", mean: 128, sigma: 60 } as const;
  return sharp({ create: { width: side, height: side, channels: 3, background: "black", noise } })
    .png({ compressionLevel: 0 })
    .toBuffer();
};

/** An honest picture of each accepted format. */
export const honest = {
  png: () => plain().png().toBuffer(),
  jpeg: () => plain().jpeg().toBuffer(),
  webp: () => plain(60, 40, 4).webp().toBuffer(),
  gif: () => plain().gif().toBuffer(),
  avif: () => plain().avif({ effort: 0 }).toBuffer(),
};

export const PNG_SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");

/** A chunk of a PNG, with its checksum. */
export const chunk = (type: string, ...data: Piece[]): Buffer => {
  const named = bytes(type, ...data);
  return bytes(u32(named.length - 4), named, u32(crc32(named)));
};

/** A black PNG with one bit for each pixel, and with other chunks before the pixels. */
export const blackPng = (width: number, height: number, extra: Buffer[] = []): Buffer =>
  bytes(
    PNG_SIGNATURE,
    chunk("IHDR", u32(width), u32(height), 1, 0, 0, 0, 0),
    ...extra,
    chunk("IDAT", deflateSync(Buffer.alloc((Math.ceil(width / 8) + 1) * height), { level: 9 })),
    chunk("IEND"),
  );

/** A segment of a JPEG. */
export const segment = (marker: number, ...data: Piece[]): Buffer => {
  const inside = bytes(...data);
  return bytes(0xff, marker, u16(inside.length + 2), inside);
};

/** Puts segments behind the first bytes of a JPEG. */
export const withSegments = (jpeg: Buffer, ...segments: Buffer[]): Buffer =>
  bytes(jpeg.subarray(0, 2), ...segments, jpeg.subarray(2));

export const COMMENT = 0xfe;

/** A location in Exif. */
export const PLACE = {
  GPSLatitudeRef: "N",
  GPSLatitude: "47/1 22/1 36/1",
  GPSLongitudeRef: "E",
  GPSLongitude: "8/1 32/1 30/1",
};

/** Metadata of a phone's picture that must not be stored. */
export const TRACES = ["Exif", "GeoPhone", "Bahnhofstrasse", "a comment of Ada's", "ICC_PROFILE", "xpacket"];

/** A phone's picture: red left and blue right as stored, to be turned by 90°, with the metadata that a phone writes. */
export const phoneJpeg = async (): Promise<Buffer> => {
  const place = `<?xpacket begin=""?><x:xmpmeta xmlns:x="adobe:ns:meta/">Bahnhofstrasse</x:xmpmeta>`;
  const half = { create: { width: 300, height: 400, channels: 3, background: "#f00" } } as const;
  const stored = await sharp({ create: { width: 600, height: 400, channels: 3, background: "#00f" } })
    .composite([{ input: half, left: 0, top: 0 }])
    .withMetadata({ orientation: 6 })
    .withIccProfile("p3")
    .withExif({ IFD0: { Make: "GeoPhone" }, IFD3: PLACE })
    .withXmp(place)
    .jpeg({ quality: 95 })
    .toBuffer();
  return withSegments(stored, segment(COMMENT, "a comment of Ada's"));
};

/** A picture of 49 megapixels in 6 KB, which takes some tenths of a second to decode. */
export const slowPng = (): Buffer => blackPng(7_000, 7_000);

/** A PNG of 97 KB whose one column has 50 million pixels. */
export const tallPng = (): Buffer => blackPng(1, 50_000_000);

/** A file with other bytes at one place. */
export const patched = (file: Buffer, at: number, ...pieces: Piece[]): Buffer => {
  const other = bytes(...pieces);
  return bytes(file.subarray(0, at), other, file.subarray(at + other.length));
};
