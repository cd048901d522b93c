/** Mutations of pictures: bytes that are changed, cut off or replaced at random places; of a PNG mostly with right checksums. */
import { crc32 } from "node:zlib";
import type { Random } from "../../support/battery.ts";
import { bytes, PNG_SIGNATURE, patched, u32 } from "../../support/pictures.ts";

/** Numbers that often break parsers. */
const NUMBERS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x7fff, 0xffff, 50_000, 0x7fff_ffff, 0xffff_ffff];

/** A change of a file at a random place, perhaps with a part of another. */
const changed = (random: Random, file: Buffer, other: Buffer): Buffer => {
  const [at, end] = [random.below(file.length), random.below(file.length + 1)];
  const number = u32(random.pick(NUMBERS)).subarray(random.pick([0, 2, 3]));
  const part = other.subarray(random.below(other.length + 1)).subarray(0, random.below(200));
  return random.pick([
    patched(file, at, Buffer.of(random.below(256))),
    patched(file, at, random.chance(0.5) ? number.reverse() : number),
    file.subarray(0, at),
    bytes(file.subarray(0, at), ...Array<Buffer>(random.pick([0, 1, 20])).fill(part), file.subarray(end)),
  ]);
};

/** The PNG with right checksums of its chunks. */
const withChecksums = (png: Buffer): Buffer => {
  const copy = Buffer.from(png);
  for (let at = 8; at + 12 <= copy.length; ) {
    const end = at + 8 + copy.readUInt32BE(at);
    if (end + 4 > copy.length) break;
    copy.writeUInt32BE(crc32(copy.subarray(at + 4, end)), end);
    at = end + 4;
  }
  return copy;
};

/** A picture that has been changed, once or many times. */
export const mutate = (random: Random, pictures: readonly Buffer[]): Buffer => {
  let file = random.pick(pictures);
  const isPng = file.indexOf(PNG_SIGNATURE) === 0;
  for (let times = random.pick([1, 1, 2, 8]); times > 0 && file.length > 0; times -= 1)
    file = changed(random, file, random.pick(pictures));
  return isPng && random.chance(0.7) ? withChecksums(file) : file;
};
