/** JPEG: what makes a small file dear to decode, found before it is decoded. */
import { DomainError } from "../domain/domainError.ts";
import { requireDimensions } from "./limits.ts";

/**
 * A progressive JPEG goes over all of its pixels once for every scan, and a scan takes 60 bytes at 50 megapixels:
 * without a bound, 100 KB keep a processor busy for minutes. Encoders write about ten, and twenty at most.
 */
const MOST_SCANS = 100;

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Markers that stand alone: stuffing, fill bytes, TEM, restarts, the start of the image. */
const standsAlone = (marker: number): boolean =>
  marker <= 0x01 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd8);

/** The markers of a frame's header; three of the range mean something else. */
const startsFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Each marker before the end, with where its segment begins. */
function* markersIn(bytes: Buffer): Generator<{ marker: number; at: number }> {
  let at = bytes.indexOf(0xff);
  while (at >= 0 && at + 3 < bytes.length) {
    const marker = bytes.readUInt8(at + 1);
    if (marker === END_OF_IMAGE) return;
    yield { marker, at: at + 2 };
    // A fill byte may be the first byte of the marker itself.
    const length = marker === 0xff ? -1 : standsAlone(marker) ? 0 : bytes.readUInt16BE(at + 2);
    at = bytes.indexOf(0xff, at + 2 + length);
  }
}

/** The JPEG as it is. @throws DomainError `too_large` when it has too many pixels or scans */
export const prepareJpeg = (bytes: Buffer): Buffer => {
  let scans = 0;
  for (const { marker, at } of markersIn(bytes)) {
    if (startsFrame(marker) && at + 7 <= bytes.length) {
      requireDimensions(bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 3));
    }
    if (marker === START_OF_SCAN) scans += 1;
    if (scans > MOST_SCANS)
      throw new DomainError("too_large", `A JPEG may have at most ${MOST_SCANS} scans.`);
  }
  return bytes;
};
