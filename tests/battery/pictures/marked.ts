/** A marker, and files that contain it wherever their format allows. */
import { constants, deflateRawSync, deflateSync } from "node:zlib";
import sharp, { type Sharp } from "sharp";
import { bytes, chunk, type Hostile, plain, segment, u32 } from "../../support/pictures.ts";

/** In every hostile file, and in nothing that is stored. */
export const MARKER = "kilroy was here 7f3a91c2";

/** Code that the service might be made to serve. */
export const HTML = `<html><script>alert("${MARKER}")</script></html>`;
export const PHP = `<?php echo "${MARKER}"; __HALT_COMPILER(); ?>`;

/** What an archive of one file looks like, from its first entry to its end. */
export const zip = (): Buffer => {
  const name = Buffer.from("run.js");
  const data = Buffer.from(MARKER);
  const sizes = Buffer.alloc(8);
  sizes.writeUInt32LE(data.length);
  sizes.writeUInt32LE(data.length, 4);
  const fields = Buffer.concat([Buffer.alloc(12), sizes, bytes(name.length, 0, 0, 0)]);
  const local = Buffer.concat([Buffer.from("PK\x03\x04"), fields, name, data]);
  const entry = Buffer.concat([Buffer.from("PK\x01\x02\0\0"), fields, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, entry, end]);
};

/** Zeros, compressed to a thousandth. */
export const packedZeros = (megabytes: number): Buffer => {
  const MEGABYTE = 1024 * 1024;
  // Each megabyte is compressed by itself, so that they need not all be in memory.
  const one = deflateRawSync(Buffer.alloc(MEGABYTE), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const MODULUS = 65_521;
  const sum = u32(((megabytes * MEGABYTE) % MODULUS) * 65_536 + 1);
  return Buffer.concat([bytes(0x78, 0xda), ...Array<Buffer>(megabytes).fill(one), bytes(3, 0), sum]);
};

export const XMP = `<?xpacket begin="" id="W5M0"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="${MARKER}"/></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;

/** A picture with a place and an author in its metadata. */
export const withPlace = (picture: Sharp): Sharp =>
  picture
    .withExif({
      IFD0: { Copyright: MARKER, Artist: MARKER, ImageDescription: HTML },
      IFD3: {
        GPSLatitudeRef: "N",
        GPSLatitude: "47/1 22/1 36/1",
        GPSLongitudeRef: "E",
        GPSLongitude: "8/1 32/1 30/1",
      },
    })
    .withXmp(XMP);

/** A colour profile with the marker in a tag of its own. */
export const tellingProfile = async (): Promise<Buffer> => {
  const { icc } = await sharp(await plain().withIccProfile("p3").jpeg().toBuffer()).metadata();
  if (icc === undefined) throw new Error("a profile is missing");
  const ENTRY = 12;
  const FIRST = 132;
  const count = icc.readUInt32BE(128);
  const tags = Buffer.from(icc.subarray(FIRST, FIRST + count * ENTRY));
  for (let at = 0; at < count; at += 1)
    tags.writeUInt32BE(tags.readUInt32BE(at * ENTRY + 4) + ENTRY, at * ENTRY + 4);
  const text = Buffer.from(`text\0\0\0\0${MARKER}\0\0\0\0`);
  const entry = Buffer.concat([Buffer.from("tell"), u32(icc.length + ENTRY), u32(text.length)]);
  const profile = Buffer.concat([
    u32(icc.length + ENTRY + text.length),
    icc.subarray(4, 128),
    u32(count + 1),
    tags,
    entry,
    icc.subarray(FIRST + count * ENTRY),
    text,
  ]);
  return profile;
};

/** Chunks of a PNG with the marker: plain, international, compressed, private, and in the profile. */
export const tellingChunks = async (): Promise<Buffer[]> => [
  chunk("iCCP", Buffer.concat([Buffer.from("p3\0\0"), deflateSync(await tellingProfile())])),
  chunk("tEXt", Buffer.from(`Comment\0${HTML}`)),
  chunk("iTXt", Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${XMP}`)),
  chunk("zTXt", Buffer.concat([Buffer.from("Comment\0\0"), deflateSync(Buffer.from(PHP))])),
  chunk("tIME", bytes(7, 234, 11, 21, 7, 24, 0)),
  chunk("prVt", Buffer.from(MARKER)),
];

/** Puts segments behind the first bytes of a JPEG. */
export const withSegments = (jpeg: Buffer, ...segments: Buffer[]): Buffer =>
  Buffer.concat([jpeg.subarray(0, 2), ...segments, jpeg.subarray(2)]);

/** Segments of a JPEG with the marker: a comment, IPTC as Photoshop writes it, the profile, and an unknown one. */
export const tellingSegments = async (): Promise<Buffer[]> => [
  segment(0xe2, Buffer.concat([Buffer.from("ICC_PROFILE\0\x01\x01", "latin1"), await tellingProfile()])),
  segment(0xfe, Buffer.from(PHP)),
  segment(
    0xed,
    Buffer.concat([
      Buffer.from("Photoshop 3.0\x008BIM\x04\x04\0\0\0\0\0\x1d\x1c\x02\x78\0\x18"),
      Buffer.from(MARKER),
      bytes(0),
    ]),
  ),
  segment(0xe9, Buffer.from(MARKER)),
];

/** A hostile file, and the size or the status of its response. */
export const hostile = (name: string, becomes: Hostile["becomes"], file: Hostile["file"]): Hostile => ({
  name,
  file,
  becomes,
});

export const SIXTY = { width: 60, height: 40 };
