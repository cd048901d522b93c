/**
 * The limits of DynamoDB for an item, so that an invalid file is rejected before anything is written.
 *
 * - https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html
 * - https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html (sizes)
 */
import { createHash } from "node:crypto";
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { INDEXES, type Key } from "../../lib/dynamodb/key.ts";
import { formatNumber, quoteSafely } from "../cli/format.ts";
import type { RawItem } from "./rawItem.ts";

const MAX_ITEM_BYTES = 400 * 1024;
const MAX_NAME_BYTES = 65_535;
const MAX_LEVELS = 32;
const MAX_DIGITS = 38;
/** The range of the exponent of a number's first digit, to the base ten. */
const EXPONENTS = { least: -130, most: 125 };

/** Key attributes of the table and its indexes, with their maximum length in bytes. */
const KEYS: readonly { name: string; most: number; isNeeded: boolean }[] = [
  { name: "pk", most: 2_048, isNeeded: true },
  { name: "sk", most: 1_024, isNeeded: true },
  ...INDEXES.flatMap((index) => [
    { name: `${index}pk`, most: 2_048, isNeeded: false },
    { name: `${index}sk`, most: 1_024, isNeeded: false },
  ]),
];

/** Why an item is invalid; it is printed after "line 5: ". */
class ItemError extends Error {
  override readonly name = "ItemError";
}

/** Describes the attribute that contains a value; called only for an error. */
type Where = () => string;

const requireThat = (holds: boolean, fault: () => string): void => {
  if (!holds) throw new ItemError(fault());
};

const utf8Bytes = (text: string): number => Buffer.byteLength(text);

const NUMBER = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,9}))?$/;

/** Parses a number into its significant digits and the exponent of the first one. @throws ItemError */
const numberOf = (text: string, where: Where): { sign: string; digits: string; exponent: number } => {
  const [, sign = "", whole = "", fraction = "", power = "0"] = NUMBER.exec(text) ?? [];
  requireThat(
    `${whole}${fraction}` !== "",
    () => `${where()} holds ${quoteSafely(text)}, which is not a number`,
  );
  const all = `${whole}${fraction}`;
  const [zeros = ""] = /^0*/.exec(all) ?? [];
  const digits = all.slice(zeros.length).replace(/0+$/, "");
  if (digits === "") return { sign: "", digits: "0", exponent: 0 };
  const exponent = whole.length - zeros.length - 1 + Number(power);
  requireThat(
    digits.length <= MAX_DIGITS,
    () => `${where()} holds a number of more than ${MAX_DIGITS} digits`,
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
    () => `${where()} holds a set with a duplicate element`,
  );
};

const textBytes = (text: string, where: Where): number => {
  requireThat(text.isWellFormed(), () => `${where()} holds text that is not valid Unicode`);
  return utf8Bytes(text);
};

const numberBytes = (text: string, where: Where): number =>
  Math.ceil(numberOf(text, where).digits.length / 2) + 1;

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

/** Returns the size of a value in bytes, as DynamoDB counts it. @throws ItemError if the value is invalid */
const valueBytes = (value: AttributeValue, where: Where, level: number): number => {
  requireThat(level <= MAX_LEVELS, () => `${where()} is nested deeper than ${MAX_LEVELS} levels`);
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
  requireThat(bytes <= MAX_NAME_BYTES, () => `${where()} has an attribute whose name is too long`);
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
 * Returns why DynamoDB would reject an item, as text that is safe for a terminal; `null` if it is valid. Sizes are
 * calculated as documented; the documentation calls the size of a number approximate.
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
      bytes <= MAX_ITEM_BYTES,
      () => `the item has ${formatNumber(bytes)} bytes, and the limit is ${formatNumber(MAX_ITEM_BYTES)}`,
    );
    return null;
  } catch (error) {
    if (error instanceof ItemError) return error.message;
    throw error;
  }
};

/**
 * Returns a function that reports whether it was called with a key before. It stores 16 bytes of each key's digest.
 */
export const makeDuplicateKeyCheck = (): ((key: Key) => boolean) => {
  // A Set holds at most 16 million entries; a game of two million players has more items.
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
