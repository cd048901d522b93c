/** Mutations of pictures at random places; of PNGs also with corrected checksums. */
import { crc32 } from "node:zlib";
import type { Random } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";
import { PNG_SIGNATURE, patched, u32 } from "../../support/pictures.ts";

/** Numbers that often break parsers, for example as lengths. */
const NUMBERS = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x7fff, 0xffff, 0x1_0000, 50_000, 0x7fff_ffff, 0xffff_ffff,
];

/** A range of a file, usually a short one. */
const stretch = (random: Random, file: Buffer): [from: number, to: number] => {
  const from = random.below(file.length + 1);
  return [from, Math.min(file.length, from + random.below(random.pick([2, 8, 64, 1_024]) + 1))];
};

type Mutation = (random: Random, file: Buffer, other: Buffer) => Buffer;

const MUTATIONS: Record<string, Mutation> = {
  "bits turned over": (random, file) => {
    const copy = Buffer.from(file);
    for (let times = random.pick([1, 2, 8, 40]); times > 0; times -= 1) {
      const at = random.below(copy.length);
      copy.writeUInt8(copy.readUInt8(at) ^ (1 << random.below(8)), at);
    }
    return copy;
  },
  "a number put in": (random, file) => {
    const all = u32(oneOf(random, NUMBERS));
    const number = all.subarray(4 - random.pick([1, 2, 4]));
    // Most lengths are in the first bytes of a file.
    const at = random.below(random.chance(0.5) ? file.length : Math.min(64, file.length));
    return patched(file, at, random.chance(0.5) ? number : Buffer.from(number).reverse());
  },
  "the end cut off": (random, file) => file.subarray(0, random.below(file.length)),
  "the beginning cut off": (random, file) => file.subarray(random.below(Math.min(64, file.length))),
  "a stretch left out": (random, file) => {
    const [from, to] = stretch(random, file);
    return Buffer.concat([file.subarray(0, from), file.subarray(to)]);
  },
  "a stretch elsewhere too": (random, file) => {
    const [from, to] = stretch(random, file);
    const at = random.below(file.length + 1);
    return Buffer.concat([file.subarray(0, at), file.subarray(from, to), file.subarray(at)]);
  },
  "noise put in": (random, file) => {
    const at = random.below(file.length + 1);
    const noise = Buffer.from(Array.from({ length: 1 + random.below(64) }, () => random.below(256)));
    return Buffer.concat([file.subarray(0, at), noise, file.subarray(at)]);
  },
  "another's end": (random, file, other) =>
    Buffer.concat([file.subarray(0, random.below(file.length)), other.subarray(random.below(other.length))]),
  "another behind it": (_random, file, other) => Buffer.concat([file, other]),
};

/** The PNG with correct checksums, as far as its chunks are complete. */
const summed = (file: Buffer): Buffer => {
  let right = file;
  for (let at = PNG_SIGNATURE.length; at + 12 <= file.length; ) {
    const end = at + 8 + file.readUInt32BE(at);
    if (end + 4 > file.length) break;
    right = patched(right, end, u32(crc32(file.subarray(at + 4, end))));
    at = end + 4;
  }
  return right;
};

/** A picture that has been changed, once or a few times, and how. */
export const mutate = (random: Random, pictures: readonly Buffer[]): { file: Buffer; how: string } => {
  const [picture, other] = random.shuffle(pictures);
  if (picture === undefined || other === undefined) throw new Error("two pictures are needed");
  const how: string[] = [`a picture of ${picture.length} bytes`];
  let file = picture;
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0 && file.length > 0; times -= 1) {
    const [name, change] = oneOf(random, Object.entries(MUTATIONS));
    file = change(random, file, other);
    how.push(name);
  }
  if (!file.subarray(0, 8).equals(PNG_SIGNATURE) || random.chance(0.3)) return { file, how: how.join(", ") };
  return { file: summed(file), how: `${how.join(", ")}, checksums right` };
};
