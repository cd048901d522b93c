/** A marker that hostile files contain wherever their format allows, and the search for it in what is stored. */
import { buffer } from "node:stream/consumers";
import { deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { ZipFile } from "yazl";
import { bytes, COMMENT, chunk, PLACE, patched, plain, segment, u32 } from "../../support/pictures.ts";

/** Nothing that is stored may contain it. */
export const MARKER = "kilroy was here 7f3a91c2";

/** Code that the service might be made to serve. */
export const HTML = `<html><script>alert("${MARKER}")</script></html>`;
export const PHP = `<?php echo "${MARKER}"; __HALT_COMPILER(); ?>`;
const XMP = `<?xpacket begin="" id="W5M0"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${MARKER}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

/** An archive of one file. */
export const zip = async (): Promise<Buffer> => {
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from(MARKER), "run.js", { compress: false });
  archive.end();
  return buffer(archive.outputStream);
};

/** A picture whose metadata has a location and an author. */
export const withPlace = (picture: Sharp): Sharp =>
  picture
    .withExif({ IFD0: { Copyright: MARKER, Artist: MARKER, ImageDescription: HTML }, IFD3: PLACE })
    .withXmp(XMP);

/** A colour profile with the marker at its end. */
const tellingProfile = async (): Promise<Buffer> => {
  const { icc = Buffer.alloc(4) } = await sharp(
    await plain().withIccProfile("p3").jpeg().toBuffer(),
  ).metadata();
  return patched(bytes(icc, MARKER), 0, u32(icc.length + MARKER.length));
};

/** Chunks of a PNG with the marker: plain, international, compressed, private, and in the profile. */
export const tellingChunks = async (): Promise<Buffer[]> => [
  chunk("iCCP", "p3\0\0", deflateSync(await tellingProfile())),
  chunk("tEXt", `Comment\0${HTML}`),
  chunk("iTXt", `XML:com.adobe.xmp\0\0\0\0\0${XMP}`),
  chunk("zTXt", "Comment\0\0", deflateSync(PHP)),
  chunk("prVt", MARKER),
];

/** Segments of a JPEG with the marker: a comment, IPTC as Photoshop writes it, the profile, and an unknown one. */
export const tellingSegments = async (): Promise<Buffer[]> => [
  segment(0xe2, "ICC_PROFILE\0\x01\x01", await tellingProfile()),
  segment(COMMENT, PHP),
  segment(0xed, `Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x1d\x1c\x02\x78\0\x18${MARKER}\0`),
  segment(0xe9, MARKER),
];

const UTF_16 = Buffer.from(MARKER, "utf16le");

/** The marker in several encodings. */
const TOLD = [
  Buffer.from(MARKER),
  UTF_16,
  Buffer.from(UTF_16).swap16(),
  // In base64 at each of three offsets, without the letters that depend on the surrounding bytes.
  ...["", "\0", "\0\0"].map((before) => Buffer.from(btoa(before + MARKER).slice(4, -4))),
];

/** Whether bytes contain the marker. */
export const hasMarker = (file: Buffer): boolean => TOLD.some((told) => file.includes(told));

/** The chunks of a WebP with pixels or their size. */
const PIXELS = ["VP8 ", "VP8L", "VP8X", "ALPH"];

/** Where the bytes of a stored picture are not those of a small WebP that contains only pixels; usually nowhere. */
export const flawsOf = async (kept: Buffer): Promise<string[]> => {
  const flaws: string[] = [];
  let at = 12;
  while (at + 8 <= kept.length) {
    const type = kept.toString("latin1", at, at + 4);
    if (!PIXELS.includes(type)) flaws.push(`a chunk ${type}`);
    const size = kept.readUInt32LE(at + 4);
    at += 8 + size + (size % 2);
  }
  if (at !== kept.length || kept.readUInt32LE(4) + 8 !== kept.length) flaws.push("bytes behind it");
  try {
    const { format, width, height, orientation, pages, comments } = await sharp(kept).metadata();
    if (format !== "webp") flaws.push(`a ${format}`);
    if (Math.max(width, height) > 512) flaws.push(`${width} by ${height}`);
    if ([orientation, pages, comments].some((beside) => beside !== undefined)) flaws.push("metadata");
    await sharp(kept, { failOn: "truncated" }).raw().toBuffer();
  } catch (error) {
    flaws.push(`it does not decode: ${String(error)}`);
  }
  return flaws;
};
