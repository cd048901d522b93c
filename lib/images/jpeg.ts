/** JPEG: rejects files that are expensive to decode. */
import { DomainError } from "../domain/domainError.ts";
import { requireDimensions } from "./limits.ts";

/**
 * Decoding a progressive JPEG passes over all pixels for every scan, and a scan of 50 megapixels takes 60 bytes:
 * without a limit, 100 KB keep a processor busy for minutes. Encoders write about ten scans, and at most twenty.
 */
const MAX_SCANS = 100;

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Whether a marker has no segment: stuffing, fill bytes, TEM, restarts, the start of the image. */
const hasNoSegment = (marker: number): boolean =>
  marker <= 0x01 || marker === 0xff || (marker >= 0xd0 && marker <= 0xd8);

/** Whether a marker is a frame header. Three of the range have another meaning. */
const startsFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);

/** Each marker before the end, with the position of its segment. */
function* markersIn(bytes: Buffer): Generator<{ marker: number; at: number }> {
  let at = bytes.indexOf(0xff);
  while (at >= 0 && at + 3 < bytes.length) {
    const marker = bytes.readUInt8(at + 1);
    if (marker === END_OF_IMAGE) return;
    yield { marker, at: at + 2 };
    // A fill byte may be the first byte of the marker itself.
    const length = marker === 0xff ? -1 : hasNoSegment(marker) ? 0 : bytes.readUInt16BE(at + 2);
    at = bytes.indexOf(0xff, at + 2 + length);
  }
}

/** Returns the JPEG unchanged. @throws DomainError `too_large` when it has too many pixels or scans */
export const prepareJpeg = (bytes: Buffer): Buffer => {
  let scans = 0;
  for (const { marker, at } of markersIn(bytes)) {
    if (startsFrame(marker) && at + 7 <= bytes.length) {
      requireDimensions(bytes.readUInt16BE(at + 5), bytes.readUInt16BE(at + 3));
    }
    if (marker === START_OF_SCAN) scans += 1;
    if (scans > MAX_SCANS) throw new DomainError("too_large", `A JPEG may have at most ${MAX_SCANS} scans.`);
  }
  return bytes;
};
