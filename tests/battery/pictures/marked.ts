/** A marker, and files that contain it wherever their format allows. */
import { buffer } from "node:stream/consumers";
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { ZipFile } from "yazl";
import { bytes, COMMENT, chunk, PLACE, patched, plain, segment, u32 } from "../../support/pictures.ts";

/** Every hostile file contains it, and nothing that is stored may contain it. */
export const MARKER = "kilroy was here 7f3a91c2";

/** Code that the service might be made to serve. */
export const HTML = `<html><script>alert("${MARKER}")</script></html>`;
export const PHP = `<?php echo "${MARKER}"; __HALT_COMPILER(); ?>`;

/** An archive of one file. */
export const zip = async (): Promise<Buffer> => {
  const archive = new ZipFile();
  archive.addBuffer(Buffer.from(MARKER), "run.js", { compress: false });
  archive.end();
  return buffer(archive.outputStream);
};

/** Zeros, compressed to a thousandth. */
export const packedZeros = (megabytes: number): Buffer => {
  const MEGABYTE = 1024 * 1024;
  // Each megabyte is compressed separately, so that not all of them are in memory.
  const one = deflateRawSync(Buffer.alloc(MEGABYTE), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const MODULUS = 65_521;
  const sum = u32(((megabytes * MEGABYTE) % MODULUS) * 65_536 + 1);
  return bytes(0x78, 0xda, ...Array<Buffer>(megabytes).fill(one), 3, 0, sum);
};

export const XMP = `<?xpacket begin="" id="W5M0"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${MARKER}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

/** A picture whose metadata has a location and an author. */
export const withPlace = (picture: Sharp): Sharp =>
  picture
    .withExif({ IFD0: { Copyright: MARKER, Artist: MARKER, ImageDescription: HTML }, IFD3: PLACE })
    .withXmp(XMP);

/** A colour profile with the marker at its end. */
const tellingProfile = async (): Promise<Buffer> => {
  const { icc } = await sharp(await plain().withIccProfile("p3").jpeg().toBuffer()).metadata();
  if (icc === undefined) throw new Error("a profile is missing");
  return patched(bytes(icc, MARKER), 0, u32(icc.length + MARKER.length));
};

/** Chunks of a PNG with the marker: plain, international, compressed, private, and in the profile. */
export const tellingChunks = async (): Promise<Buffer[]> => [
  chunk("iCCP", "p3\0\0", deflateSync(await tellingProfile())),
  chunk("tEXt", `Comment\0${HTML}`),
  chunk("iTXt", `XML:com.adobe.xmp\0\0\0\0\0${XMP}`),
  chunk("zTXt", "Comment\0\0", deflateSync(PHP)),
  chunk("tIME", 7, 234, 11, 21, 7, 24, 0),
  chunk("prVt", MARKER),
];

/** Segments of a JPEG with the marker: a comment, IPTC as Photoshop writes it, the profile, and an unknown one. */
export const tellingSegments = async (): Promise<Buffer[]> => [
  segment(0xe2, "ICC_PROFILE\0\x01\x01", await tellingProfile()),
  segment(COMMENT, PHP),
  segment(0xed, `Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x1d\x1c\x02\x78\0\x18${MARKER}\0`),
  segment(0xe9, MARKER),
];

export const SIXTY = { width: 60, height: 40 };
