/** What may be stored after any upload: small WebPs that contain only pixels, and no text of the upload. */
import sharp from "sharp";
import type { TestEnvironment } from "../../support/service.ts";
import { scan } from "../../support/table.ts";
import { MARKER } from "./marked.ts";

/** The chunks of a WebP with pixels or their size. */
const PIXELS = ["VP8 ", "VP8L", "VP8X", "ALPH"];

/** The errors in the bytes of a stored picture; usually none. */
const faultsOfBytes = (kept: Buffer): string[] => {
  if (kept.toString("latin1", 0, 4) !== "RIFF" || kept.toString("latin1", 8, 12) !== "WEBP")
    return ["no WebP"];
  const faults: string[] = [];
  if (kept.readUInt32LE(4) + 8 !== kept.length) faults.push("bytes behind it");
  let at = 12;
  while (at + 8 <= kept.length) {
    const type = kept.toString("latin1", at, at + 4);
    if (!PIXELS.includes(type)) faults.push(`a chunk ${type}`);
    const size = kept.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  if (at !== kept.length) faults.push("a chunk that does not end with it");
  return faults;
};

const BESIDE = [
  "exif",
  "icc",
  "xmp",
  "iptc",
  "tifftagPhotoshop",
  "comments",
  "orientation",
  "pages",
] as const;

/** The errors of a stored picture; none if it contains only a picture. */
export const flawsOf = async (kept: Buffer): Promise<string[]> => {
  const faults = faultsOfBytes(kept);
  try {
    const head = await sharp(kept).metadata();
    const { width, height } = head;
    if (head.format !== "webp") faults.push(`a ${head.format}`);
    if (Math.max(width, height) > 512) faults.push(`${width} by ${height}`);
    for (const beside of BESIDE) if (head[beside] !== undefined) faults.push(beside);
    await sharp(kept, { failOn: "truncated" }).raw().toBuffer();
  } catch (error) {
    faults.push(`it does not decode: ${error instanceof Error ? error.message : "?"}`);
  }
  return faults;
};

/** The marker in several encodings. */
const TOLD = [
  Buffer.from(MARKER),
  Buffer.from(MARKER, "utf16le"),
  Buffer.from(Buffer.from(MARKER, "utf16le")).swap16(),
  // In base64 at each of three offsets, without the letters that depend on the surrounding bytes.
  ...[0, 1, 2].map((before) => {
    const text = Buffer.from(`${"\0".repeat(before)}${MARKER}`).toString("base64");
    return Buffer.from(text.slice(4, -4));
  }),
];

/** Whether bytes contain the marker. */
export const hasMarker = (bytes: Buffer): boolean => TOLD.some((told) => bytes.includes(told));

const bytesOf = (value: unknown): Buffer[] =>
  value instanceof Uint8Array
    ? [Buffer.from(value)]
    : typeof value === "string"
      ? [Buffer.from(value)]
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(bytesOf)
        : [];

/** The keys of all items that contain the marker. */
export const itemsWithMarker = async (s: Pick<TestEnvironment, "place">): Promise<string[]> =>
  (await scan(s)).filter((item) => bytesOf(item).some(hasMarker)).map(({ pk, sk }) => `${pk} ${sk}`);
