/** A difference: where one item of the table does not say what the others do, and what would make them agree. */
import type { Item, StoredItem, Write } from "../../../lib/dynamodb/database.ts";
import { KEY_ATTRIBUTES, type Key } from "../../../lib/dynamodb/key.ts";

/** What can differ. */
export type DifferenceKind =
  | "unreadable"
  | "counter"
  | "kills"
  | "meals"
  | "list entry"
  | "infection"
  | "parent"
  | "alias guard"
  | "tag code"
  | "picture"
  | "note"
  | "secret"
  | "password"
  | "subscription"
  | "endpoint guard"
  | "administrators";

export interface Difference {
  kind: DifferenceKind;
  /** Whom or what it is about, in words. */
  which: string;
  /** The item that is to change. */
  key: Key;
  is: string;
  should: string;
  /**
   * The writes that make them agree, each on condition that what was read is still so. Differences that one write
   * mends share it. `null` where the table does not say what is right: a person must decide.
   */
  mend: readonly Write[] | null;
}

/** Which difference it is, whatever the figures are. */
export const identityOf = ({ kind, which, key }: Difference): string =>
  JSON.stringify([kind, which, key.pk, key.sk]);

/** A difference with its figures: the same again when nothing has moved. */
export const contentOf = (difference: Difference): string =>
  JSON.stringify([identityOf(difference), difference.is, difference.should]);

const isPlain = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** The expectation that an item without a `rev` is as read, also in what it did not have of these fields. */
export const expectAsRead = (
  item: Item,
  maybe: readonly string[],
): { is: Record<string, string | number | undefined> } => {
  const { pk: _, sk: _1, ...rest } = item;
  const absent = maybe.filter((name) => rest[name] === undefined).map((name) => [name, undefined]);
  const plain = Object.entries(rest).filter(([, value]) => isPlain(value));
  return { is: Object.fromEntries([...absent, ...plain]) };
};

/** The places of an item in the indexes. */
export const INDEX_ATTRIBUTES = KEY_ATTRIBUTES.filter((name) => name.startsWith("gsi"));

/** In which indexes an item does not stand where it should, in words; `null` when it does. */
export const findMisplacement = (
  item: StoredItem,
  should: StoredItem,
): { is: string; should: string } | null => {
  const wrong = INDEX_ATTRIBUTES.filter((name) => item[name] !== should[name]);
  if (wrong.length === 0) return null;
  const inWords = (one: StoredItem): string =>
    wrong.map((name) => `${name} ${isPlain(one[name]) ? one[name] : "none"}`).join(", ");
  return { is: inWords(item), should: inWords(should) };
};
