/**
 * What DynamoDB takes for an item, so that a file is refused before any of it is written.
 *
 * - https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 * - https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html (sizes)
 */
import { createHash } from "node:crypto";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { INDEXES, type Key } from "../../lib/dynamodb/key.ts";
import { formatNumber, quoteSafely } from "../cli/format.ts";
import type { RawItem } from "./rawItem.ts";

const MOST_ITEM_BYTES = 400 * 1024;
const MOST_NAME_BYTES = 65_535;
const MOST_LEVELS = 32;
const MOST_DIGITS = 38;
/** The power of ten of a number's first digit. */
const EXPONENTS = { least: -130, most: 125 };

/** Keys of the table and of its indexes: texts of at least one byte, and at most so many. */
const KEYS: readonly { name: string; most: number; isNeeded: boolean }[] = [
  { name: "pk", most: 2_048, isNeeded: true },
  { name: "sk", most: 1_024, isNeeded: true },
  ...INDEXES.flatMap((index) => [
    { name: `${index}pk`, most: 2_048, isNeeded: false },
    { name: `${index}sk`, most: 1_024, isNeeded: false },
  ]),
];

/** What is wrong with an item, to be said after "line 5: ". */
class ItemFault extends Error {
  override readonly name = "ItemFault";
}

/** Which attribute a value is in, in words: asked only for a fault. */
type Where = () => string;

const requireThat = (holds: boolean, fault: () => string): void => {
  if (!holds) throw new ItemFault(fault());
};

const utf8Bytes = (text: string): number => Buffer.byteLength(text);

const NUMBER = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,9}))?$/;

/** A number by its digits without zeros around them, and the power of ten of the first. @throws ItemFault */
const numberOf = (text: string, where: Where): { sign: string; digits: string; exponent: number } => {
  const [, sign = "", whole = "", fraction = "", power = "0"] = NUMBER.exec(text) ?? [];
  requireThat(
    `${whole}${fraction}` !== "",
    () => `${where()} holds ${quoteSafely(text)}, which is no number`,
  );
  const all = `${whole}${fraction}`;
  const [zeros = ""] = /^0*/.exec(all) ?? [];
  const digits = all.slice(zeros.length).replace(/0+$/, "");
  if (digits === "") return { sign: "", digits: "0", exponent: 0 };
  const exponent = whole.length - zeros.length - 1 + Number(power);
  requireThat(
    digits.length <= MOST_DIGITS,
    () => `${where()} holds a number of more than ${MOST_DIGITS} digits`,
  );
  requireThat(
    exponent >= EXPONENTS.least && exponent <= EXPONENTS.most,
    () => `${where()} holds ${quoteSafely(text)}, which is too large or too small for a number`,
  );
  return { sign: sign === "-" ? "-" : "", digits, exponent };
};

const requireSet = (elements: readonly string[], where: Where): void => {
  requireThat(elements.length > 0, () => `${where()} holds an empty set`);
  requireThat(
    new Set(elements).size === elements.length,
    () => `${where()} holds a set with an element twice`,
  );
};

const textBytes = (text: string, where: Where): number => {
  requireThat(text.isWellFormed(), () => `${where()} holds text that is not valid Unicode`);
  return utf8Bytes(text);
};

const numberBytes = (text: string, where: Where): number =>
  Math.ceil(numberOf(text, where).digits.length / 2) + 1;

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

/** The bytes of a value as DynamoDB counts them. @throws ItemFault for one that it does not take */
const valueBytes = (value: AttributeValue, where: Where, level: number): number => {
  requireThat(level <= MOST_LEVELS, () => `${where()} is nested deeper than ${MOST_LEVELS} levels`);
  if (value.S !== undefined) return textBytes(value.S, where);
  if (value.N !== undefined) return numberBytes(value.N, where);
  if (value.B !== undefined) return value.B.length;
  if (value.SS !== undefined) {
    requireSet(value.SS, where);
    return sum(value.SS.map((text) => textBytes(text, where)));
  }
  if (value.NS !== undefined) {
    requireSet(
      value.NS.map((text) => Object.values(numberOf(text, where)).join(" ")),
      where,
    );
    return sum(value.NS.map((text) => numberBytes(text, where)));
  }
  if (value.BS !== undefined) {
    requireSet(
      value.BS.map((bytes) => Buffer.from(bytes).toString("base64")),
      where,
    );
    return sum(value.BS.map((bytes) => bytes.length));
  }
  if (value.L === undefined && value.M === undefined) return 1;
  const within =
    value.L === undefined
      ? Object.entries(value.M ?? {}).map(
          ([name, one]) => nameBytes(name, where) + valueBytes(one, where, level + 1),
        )
      : value.L.map((one) => valueBytes(one, where, level + 1));
  return 3 + within.length + sum(within);
};

const nameBytes = (name: string, where: Where): number => {
  requireThat(name !== "", () => `${where()} has an attribute without a name`);
  const bytes = textBytes(name, where);
  requireThat(bytes <= MOST_NAME_BYTES, () => `${where()} has an attribute whose name is too long`);
  return bytes;
};

const requireKey = (item: RawItem, { name, most, isNeeded }: (typeof KEYS)[number]): void => {
  const value = item[name];
  if (value === undefined && !isNeeded) return;
  const bytes = utf8Bytes(value?.S ?? "");
  requireThat(
    bytes > 0 && bytes <= most,
    () => `the key ${name} must be a text of 1 to ${formatNumber(most)} bytes`,
  );
};

/**
 * What DynamoDB would refuse an item for, in words without control characters; `null` for one that it takes.
 * The size is that of the documentation, which calls it an estimate for numbers.
 */
export const findItemError = (item: RawItem): string | null => {
  try {
    for (const key of KEYS) requireKey(item, key);
    const sizes = Object.entries(item).map(([name, value]) => {
      const where = () => `the attribute ${quoteSafely(name)}`;
      return nameBytes(name, () => "the item") + valueBytes(value, where, 1);
    });
    const bytes = sum(sizes);
    requireThat(
      bytes <= MOST_ITEM_BYTES,
      () => `the item has ${formatNumber(bytes)} bytes, and may have ${formatNumber(MOST_ITEM_BYTES)}`,
    );
    return null;
  } catch (error) {
    if (error instanceof ItemFault) return error.message;
    throw error;
  }
};

/** Remembers keys, by 16 bytes of their digest. @returns whether a key was there before */
export const makeDuplicateKeyCheck = (): ((key: Key) => boolean) => {
  // One set holds 16 million at most, which a game of two million players has.
  const parts = new Map<number, Set<string>>();
  return ({ pk, sk }) => {
    const digest = createHash("sha256")
      .update(JSON.stringify([pk, sk]))
      .digest()
      .subarray(0, 16);
    const at = digest.readUInt8(0);
    const part = parts.get(at) ?? new Set();
    parts.set(at, part);
    const name = digest.toString("latin1");
    const isThere = part.has(name);
    part.add(name);
    return isThere;
  };
};
