/** Mutations of pictures: at random places, and at the borders of pieces of each format, with corrected checksums. */
import { crc32 } from "node:zlib";
import type { Random } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";
import { patched, u32 } from "../../support/pictures.ts";

/** Numbers that often break parsers. */
const NUMBERS = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x7fff, 0xffff, 0x1_0000, 50_000, 0x7fff_ffff, 0xffff_ffff,
];

interface Format {
  /** Where the first piece after the header begins. */
  first: number;
  /** The offset of the length within a piece, and its number of bytes. */
  length: { at: number; bytes: 2 | 4; little?: boolean };
  /** How much longer a piece is than its length field says. A GIF is cut at random. */
  more: number | null;
}

const FORMATS = {
  png: { first: 8, length: { at: 0, bytes: 4 }, more: 12 },
  jpeg: { first: 2, length: { at: 2, bytes: 2 }, more: 2 },
  webp: { first: 12, length: { at: 4, bytes: 4, little: true }, more: 8 },
  gif: { first: 13, length: { at: 0, bytes: 2, little: true }, more: null },
  avif: { first: 0, length: { at: 0, bytes: 4 }, more: 0 },
} satisfies Record<string, Format>;

export interface Seed {
  format: keyof typeof FORMATS;
  file: Buffer;
}

const lengthAt = (file: Buffer, piece: number, { at, bytes, little = false }: Format["length"]): number => {
  if (piece + at + bytes > file.length) return 0;
  return little ? file.readUIntLE(piece + at, bytes) : file.readUIntBE(piece + at, bytes);
};

/** Where each piece begins, and the end of the last complete one. */
const jointsOf = ({ format, file }: Seed): number[] => {
  const { first, length, more }: Format = FORMATS[format];
  const joints = [0];
  let at = first;
  while (at > (joints.at(-1) ?? 0) && at < file.length) {
    joints.push(at);
    at += more === null ? 8 : more + lengthAt(file, at, length);
  }
  return [...joints, file.length];
};

const piecesOf = (seed: Seed): Buffer[] => {
  const joints = jointsOf(seed);
  return joints.slice(1).map((end, at) => seed.file.subarray(joints[at], end));
};

/** A range of a file, usually a short one. */
const stretch = (random: Random, file: Buffer): [from: number, to: number] => {
  const from = random.below(file.length + 1);
  return [from, Math.min(file.length, from + random.below(random.pick([2, 8, 64, 1_024]) + 1))];
};

type Mutation = (random: Random, seed: Seed, other: Seed) => Buffer;

const write = (file: Buffer, at: number, bytes: number, value: number, little = false): Buffer => {
  const copy = Buffer.from(file);
  if (at + bytes > copy.length) return copy;
  const fits = value % 256 ** bytes;
  if (little) copy.writeUIntLE(fits, at, bytes);
  else copy.writeUIntBE(fits, at, bytes);
  return copy;
};

const MUTATIONS: Record<string, Mutation> = {
  "bits turned over": (random, { file }) => {
    const copy = Buffer.from(file);
    for (let times = random.pick([1, 2, 8, 40]); times > 0; times -= 1) {
      const at = random.below(copy.length);
      copy.writeUInt8(copy.readUInt8(at) ^ (1 << random.below(8)), at);
    }
    return copy;
  },
  "a number put in": (random, { file }) =>
    write(
      file,
      random.below(file.length),
      random.pick([1, 2, 4]),
      oneOf(random, NUMBERS),
      random.chance(0.5),
    ),
  "a length changed": (random, seed) => {
    const { length }: Format = FORMATS[seed.format];
    const piece = oneOf(random, jointsOf(seed).slice(0, -1));
    const is = lengthAt(seed.file, piece, length);
    const others = [is + 1, Math.max(0, is - 1), is * 2, ...NUMBERS];
    return write(seed.file, piece + length.at, length.bytes, oneOf(random, others), length.little);
  },
  "the end cut off": (random, { file }) => file.subarray(0, random.below(file.length)),
  "the beginning cut off": (random, { file }) => file.subarray(random.below(Math.min(64, file.length))),
  "a stretch left out": (random, { file }) => {
    const [from, to] = stretch(random, file);
    return Buffer.concat([file.subarray(0, from), file.subarray(to)]);
  },
  "a stretch twice": (random, { file }) => {
    const [from, to] = stretch(random, file);
    return Buffer.concat([file.subarray(0, to), file.subarray(from)]);
  },
  "a stretch put in": (random, { file }) => {
    const at = random.below(file.length + 1);
    const noise = Buffer.from(Array.from({ length: 1 + random.below(64) }, () => random.below(256)));
    return Buffer.concat([file.subarray(0, at), noise, file.subarray(at)]);
  },
  "pieces exchanged": (random, seed) => Buffer.concat(random.shuffle(piecesOf(seed))),
  "a piece left out": (random, seed) => {
    const pieces = piecesOf(seed);
    return Buffer.concat(pieces.toSpliced(random.below(pieces.length), 1));
  },
  "a piece elsewhere too, or many times": (random, seed) => {
    const pieces = piecesOf(seed);
    const piece = Array<Buffer>(random.pick([1, 2, 20])).fill(oneOf(random, pieces));
    return Buffer.concat(pieces.toSpliced(random.below(pieces.length), 0, ...piece));
  },
  "another's end": (random, { file }, other) =>
    Buffer.concat([
      file.subarray(0, random.below(file.length)),
      other.file.subarray(random.below(other.file.length)),
    ]),
  "another's piece": (random, seed, other) => {
    const pieces = piecesOf(seed);
    const theirs = oneOf(random, piecesOf(other));
    return Buffer.concat(pieces.toSpliced(random.below(pieces.length + 1), 0, theirs));
  },
  "another behind it": (_random, { file }, other) => Buffer.concat([file, other.file]),
};

/** The PNG with correct checksums. */
const summed = (file: Buffer): Buffer => {
  const [head = file, ...chunks] = piecesOf({ format: "png", file });
  const right = chunks.map((one) =>
    one.length < 12 ? one : patched(one, one.length - 4, u32(crc32(one.subarray(4, -4)))),
  );
  return Buffer.concat([head, ...right]);
};

/** A picture that has been changed, once or a few times, and how. */
export const mutate = (random: Random, seeds: readonly Seed[]): { file: Buffer; how: string } => {
  const [seed, other] = random.shuffle(seeds);
  if (seed === undefined || other === undefined) throw new Error("two pictures are needed");
  const how: string[] = [`a ${seed.format} of ${seed.file.length} bytes`];
  let { file } = seed;
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0 && file.length > 0; times -= 1) {
    const [name, change] = oneOf(random, Object.entries(MUTATIONS));
    file = change(random, { ...seed, file }, other);
    how.push(name.startsWith("another") ? `${name} (${other.format})` : name);
  }
  if (seed.format !== "png" || random.chance(0.3)) return { file, how: how.join(", ") };
  return { file: summed(file), how: `${how.join(", ")}, checksums right` };
};
