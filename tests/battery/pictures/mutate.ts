/** Mutations of pictures: at random, and at the joints of each format, with checksums that fit again. */
import { crc32 } from "node:zlib";
import type { Random } from "../../support/battery.ts";
import { oneOf } from "../../support/oneOf.ts";

/** Numbers at which readers stumble. */
const NUMBERS = [
  0, 1, 2, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x7fff, 0xffff, 0x1_0000, 50_000, 0x7fff_ffff, 0xffff_ffff,
];

interface Format {
  /** Where each piece begins, the first at the beginning, and the end behind the last. */
  joints: (file: Buffer) => number[];
  /** Where a piece keeps its length, from its beginning, and in how many bytes. */
  length: { at: number; bytes: 2 | 4; little: boolean };
}

/** The ends of pieces with a length field, up to the first that does not fit. */
const jointsFrom =
  (first: number, endOf: (file: Buffer, at: number) => number): Format["joints"] =>
  (file) => {
    const joints = [0];
    let at = first;
    while (at > (joints.at(-1) ?? 0) && at < file.length) {
      joints.push(at);
      at = at + 8 <= file.length ? endOf(file, at) : file.length;
    }
    return [...joints, file.length];
  };

const FORMATS: Record<string, Format> = {
  png: {
    joints: jointsFrom(8, (file, at) => at + 12 + file.readUInt32BE(at)),
    length: { at: 0, bytes: 4, little: false },
  },
  jpeg: {
    joints: jointsFrom(2, (file, at) => at + 2 + file.readUInt16BE(at + 2)),
    length: { at: 2, bytes: 2, little: false },
  },
  webp: {
    joints: jointsFrom(12, (file, at) => at + 8 + file.readUInt32LE(at + 4)),
    length: { at: 4, bytes: 4, little: true },
  },
  gif: { joints: jointsFrom(13, (_file, at) => at + 8), length: { at: 0, bytes: 2, little: true } },
  avif: {
    joints: jointsFrom(0, (file, at) => at + file.readUInt32BE(at)),
    length: { at: 0, bytes: 4, little: false },
  },
};

export interface Seed {
  format: keyof typeof FORMATS & string;
  file: Buffer;
}

const formatOf = (name: string): Format => {
  const format = FORMATS[name];
  if (format === undefined) throw new Error(`no format is called ${name}`);
  return format;
};

const piecesOf = (format: string, file: Buffer): Buffer[] => {
  const joints = formatOf(format).joints(file);
  return joints.slice(1).map((end, at) => file.subarray(joints[at], end));
};

/** A stretch of a file, mostly a short one. */
const stretch = (random: Random, file: Buffer): [from: number, to: number] => {
  const from = random.below(file.length + 1);
  return [from, Math.min(file.length, from + random.below(random.pick([2, 8, 64, 1_024]) + 1))];
};

type Mutation = (random: Random, seed: Seed, other: Seed) => Buffer;

const write = (file: Buffer, at: number, bytes: number, value: number, little: boolean): Buffer => {
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
  "a length changed": (random, { format, file }) => {
    const { joints, length } = formatOf(format);
    const at = oneOf(random, joints(file).slice(0, -1)) + length.at;
    const read = at + length.bytes <= file.length;
    const is = !read
      ? 0
      : length.little
        ? file.readUIntLE(at, length.bytes)
        : file.readUIntBE(at, length.bytes);
    const near = [is + 1, Math.max(0, is - 1), is * 2];
    return write(file, at, length.bytes, oneOf(random, [...near, ...NUMBERS]), length.little);
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
  "pieces exchanged": (random, { format, file }) => Buffer.concat(random.shuffle(piecesOf(format, file))),
  "two pieces exchanged": (random, { format, file }) => {
    const pieces = piecesOf(format, file);
    const [one, other] = [random.below(pieces.length), random.below(pieces.length)];
    const [first, second] = [pieces[one], pieces[other]];
    if (first === undefined || second === undefined) return file;
    return Buffer.concat(pieces.with(one, second).with(other, first));
  },
  "a piece left out": (random, { format, file }) => {
    const pieces = piecesOf(format, file);
    return Buffer.concat(pieces.toSpliced(random.below(pieces.length), 1));
  },
  "a piece many times": (random, { format, file }) => {
    const pieces = piecesOf(format, file);
    const at = random.below(pieces.length);
    const piece = pieces[at] ?? file;
    return Buffer.concat(pieces.toSpliced(at, 0, ...Array<Buffer>(random.pick([1, 2, 20])).fill(piece)));
  },
  "another's end": (random, { file }, other) =>
    Buffer.concat([
      file.subarray(0, random.below(file.length)),
      other.file.subarray(random.below(other.file.length)),
    ]),
  "another's piece": (random, { format, file }, other) => {
    const pieces = piecesOf(format, file);
    const theirs = oneOf(random, piecesOf(other.format, other.file));
    return Buffer.concat(pieces.toSpliced(random.below(pieces.length + 1), 0, theirs));
  },
  "another behind it": (_random, { file }, other) => Buffer.concat([file, other.file]),
};

/** A PNG whose checksums are right, whatever its chunks are. */
const summed = (file: Buffer): Buffer => {
  const copy = Buffer.from(file);
  const joints = formatOf("png").joints(copy);
  for (const [nth, end] of joints.slice(2).entries()) {
    const at = joints[nth + 1] ?? 0;
    if (end - at < 12) continue;
    copy.writeUInt32BE(crc32(copy.subarray(at + 4, end - 4)), end - 4);
  }
  return copy;
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
