/** A marker that hostile files contain wherever their format allows, and the search for it in what is stored. */
import { deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { expect } from "vitest";
import { COMMENT, chunk, PLACE, segment } from "../../support/pictures.ts";

/** Nothing that is stored may contain it. */
export const MARKER = "kilroy was here 7f3a91c2";

/** Code that the service might be made to serve. */
export const HTML = `<html><script>alert("${MARKER}")</script></html>`;
const XMP = `<?xpacket begin="" id="W5M0"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${MARKER}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

/** A picture whose metadata has a location and an author. */
export const withPlace = (picture: Sharp): Sharp =>
  picture
    .withExif({ IFD0: { Copyright: MARKER, Artist: MARKER, ImageDescription: HTML }, IFD3: PLACE })
    .withXmp(XMP);

/** Chunks of a PNG with the marker: plain, international, compressed and private. */
export const markedChunks: Buffer[] = [
  chunk("tEXt", `Comment\0${HTML}`),
  chunk("iTXt", `XML:com.adobe.xmp\0\0\0\0\0${XMP}`),
  chunk("zTXt", "Comment\0\0", deflateSync(HTML)),
  chunk("prVt", MARKER),
];

/** Segments of a JPEG with the marker: a comment, IPTC as Photoshop writes it, and an unknown one. */
export const markedSegments: Buffer[] = [
  segment(COMMENT, HTML),
  segment(0xed, `Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x1d\x1c\x02\x78\0\x18${MARKER}\0`),
  segment(0xe9, MARKER),
];

/** The marker in several encodings. */
const ENCODED_MARKERS = [
  Buffer.from(MARKER),
  Buffer.from(MARKER, "utf16le"),
  Buffer.from(MARKER, "utf16le").swap16(),
  // In base64 at each of three offsets, without the letters that depend on the surrounding bytes.
  ...["", "\0", "\0\0"].map((before) => Buffer.from(btoa(before + MARKER).slice(4, -4))),
];

/** Whether bytes contain the marker. */
export const hasMarker = (file: Buffer): boolean => ENCODED_MARKERS.some((one) => file.includes(one));

/** The chunks of a WebP with pixels or their size. */
const PIXELS = ["VP8 ", "VP8L", "VP8X", "ALPH"];

/** Expects a stored picture to be a small WebP that contains only pixels. */
export const expectOnlyPixels = async (kept: Buffer, say: string): Promise<void> => {
  expect(hasMarker(kept), say).toBe(false);
  let at = 12;
  for (let size = 0; at + 8 <= kept.length; at += 8 + size + (size % 2)) {
    expect(PIXELS, say).toContain(kept.toString("latin1", at, at + 4));
    size = kept.readUInt32LE(at + 4);
  }
  expect([at, kept.readUInt32LE(4) + 8], say).toEqual([kept.length, kept.length]);
  const { info } = await sharp(kept, { failOn: "truncated" }).raw().toBuffer({ resolveWithObject: true });
  expect(Math.max(info.width, info.height), say).toBeLessThanOrEqual(512);
};
