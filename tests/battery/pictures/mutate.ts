/** Mutations of pictures: bytes that are changed, cut off or replaced at random places; of a PNG mostly with right checksums. */
import { crc32 } from "node:zlib";
import type { Random } from "../../support/battery.ts";
import { bytes, PNG_SIGNATURE, patched, u32 } from "../../support/pictures.ts";

/** Numbers that often break parsers. */
const NUMBERS = [0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x7fff, 0xffff, 50_000, 0x7fff_ffff, 0xffff_ffff];

/** Cuts a file at two random places. */
const cut = (random: Random, file: Buffer): [Buffer, Buffer, Buffer] => {
  const [from, to] = [random.below(file.length + 1), random.below(file.length + 1)].toSorted((a, b) => a - b);
  return [file.subarray(0, from), file.subarray(from, to), file.subarray(to)];
};

const MUTATIONS: readonly ((random: Random, file: Buffer, other: Buffer) => Buffer)[] = [
  function turnBits(random, file) {
    const copy = Buffer.from(file);
    for (let times = random.pick([1, 2, 8, 40]); times > 0; times -= 1) {
      const at = random.below(copy.length);
      copy.writeUInt8(copy.readUInt8(at) ^ (1 << random.below(8)), at);
    }
    return copy;
  },
  function putNumber(random, file) {
    const number = u32(random.pick(NUMBERS)).subarray(random.pick([0, 2, 3]));
    return patched(file, random.below(file.length), random.chance(0.5) ? number.reverse() : number);
  },
  function cutEnd(random, file) {
    return file.subarray(0, random.below(file.length));
  },
  function replacePart(random, file, other) {
    const [[before, , after], [, part]] = [cut(random, file), cut(random, random.pick([file, other]))];
    return bytes(before, ...Array<Buffer>(random.pick([0, 1, 1, 20])).fill(part), after);
  },
];

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

/** A picture that has been changed, once or a few times. */
export const mutate = (random: Random, pictures: readonly Buffer[]): Buffer => {
  let file = random.pick(pictures);
  const isPng = file.indexOf(PNG_SIGNATURE) === 0;
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0 && file.length > 0; times -= 1)
    file = random.pick(MUTATIONS)(random, file, random.pick(pictures));
  return isPng && random.chance(0.7) ? withChecksums(file) : file;
};
