/** Mutations of pictures: at random places, and at the borders of pieces of each format, with corrected checksums. */
import { crc32 } from "node:zlib";
import type { Random } from "../../support/battery.ts";
import { pickOne } from "../../support/pickOne.ts";
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

/** The header, the complete pieces, and what is left. */
const piecesOf = ({ format, file }: Seed): Buffer[] => {
  const { first, length, more }: Format = FORMATS[format];
  const joints = [0];
  for (let at = first; at > (joints.at(-1) ?? 0) && at < file.length; ) {
    joints.push(at);
    at += more === null ? 8 : more + lengthAt(file, at, length);
  }
  return joints.map((from, at) => file.subarray(from, joints[at + 1]));
};

const write = (file: Buffer, at: number, bytes: number, value: number, little = false): Buffer => {
  const number = Buffer.alloc(bytes);
  number.writeUIntBE(value % 256 ** bytes, 0, bytes);
  return at + bytes > file.length ? file : patched(file, at, little ? number.reverse() : number);
};

/** Takes some of the parts away or none, and puts others in their place: their own, another's, or noise. */
const spliced = (random: Random, own: readonly Buffer[], others: readonly Buffer[]): Buffer[] => {
  const noise = [Buffer.from(Array.from({ length: 1 + random.below(64) }, () => random.below(256)))];
  const from = random.pick([own, others, noise, []]);
  const first = random.below(from.length + 1);
  const inserted = from.slice(first, random.pick([first + 1, from.length]));
  const repeated = Array<Buffer[]>(random.pick([1, 1, 1, 20]))
    .fill(inserted)
    .flat();
  return own.toSpliced(random.below(own.length + 1), random.pick([0, 1, own.length]), ...repeated);
};

/** Cuts a file at three places. */
const cut = (random: Random, file: Buffer): Buffer[] => {
  const at = [0, ...[1, 2, 3].map(() => random.below(file.length + 1)).toSorted((a, b) => a - b)];
  return at.map((from, n) => file.subarray(from, at[n + 1]));
};

const MUTATIONS: Record<string, (random: Random, seed: Seed, other: Seed) => Buffer> = {
  "bits turned over": (random, { file }) => {
    const copy = Buffer.from(file);
    for (let times = random.pick([1, 2, 8, 40]); times > 0; times -= 1) {
      const at = random.below(copy.length);
      copy.writeUInt8(copy.readUInt8(at) ^ (1 << random.below(8)), at);
    }
    return copy;
  },
  "a number put in": (random, { file }) => {
    const [at, number] = [random.below(file.length), pickOne(random, NUMBERS)];
    return write(file, at, random.pick([1, 2, 4]), number, random.chance(0.5));
  },
  "a length changed": (random, seed) => {
    const { length }: Format = FORMATS[seed.format];
    const pieces = piecesOf(seed);
    const before = Buffer.concat(pieces.slice(0, random.below(pieces.length)));
    const is = lengthAt(seed.file, before.length, length);
    const other = pickOne(random, [is + 1, Math.max(0, is - 1), is * 2, ...NUMBERS]);
    return write(seed.file, before.length + length.at, length.bytes, other, length.little);
  },
  "the end cut off": (random, { file }) => file.subarray(0, random.below(file.length)),
  "a stretch changed": (random, { file }, other) =>
    Buffer.concat(spliced(random, cut(random, file), cut(random, other.file))),
  "pieces exchanged": (random, seed) => Buffer.concat(random.shuffle(piecesOf(seed))),
  "pieces changed": (random, seed, other) => Buffer.concat(spliced(random, piecesOf(seed), piecesOf(other))),
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
  const how: string[] = [`a ${seed.format} of ${seed.file.length} bytes, and a ${other.format}`];
  let { file } = seed;
  for (let times = random.pick([1, 1, 1, 2, 3]); times > 0 && file.length > 0; times -= 1) {
    const [name, change] = pickOne(random, Object.entries(MUTATIONS));
    file = change(random, { ...seed, file }, other);
    how.push(name);
  }
  if (seed.format !== "png" || random.chance(0.3)) return { file, how: how.join(", ") };
  return { file: summed(file), how: `${how.join(", ")}, checksums right` };
};
