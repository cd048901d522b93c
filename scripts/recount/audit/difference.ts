/** A difference between items of the table, and the writes that repair it. */
import type { StoredPlayer } from "../../../lib/domain/players/player.ts";
import type { Item, StoredItem, Write } from "../../../lib/dynamodb/database.ts";
import { KEY_ATTRIBUTES, type Key } from "../../../lib/dynamodb/key.ts";

/** The kinds of data that can differ. */
export type DifferenceKind =
  | "unreadable"
  | "counter"
  | "kills"
  | "meals"
  | "list entry"
  | "state"
  | "infection"
  | "parent"
  | "alias guard"
  /** Accounts of earlier versions have none of these two yet. */
  | "search word"
  | "reference guard"
  | "tag code"
  | "rewards"
  | "reward code"
  | "redemption"
  | "desk"
  | "picture"
  | "note"
  | "dispute"
  | "secret"
  | "password"
  | "subscription"
  | "endpoint guard"
  | "address guard"
  | "administrators";

export interface Difference {
  kind: DifferenceKind;
  /** The player or item, for messages. */
  which: string;
  /** The item to change. */
  key: Key;
  is: string;
  should: string;
  /**
   * The writes that repair it, each conditional on what was read. Differences with a common repair share them. `null`
   * if a game master must decide what is right.
   */
  repair: readonly Write[] | null;
}

/** A difference of a player's own item, and the fields that repair it; `null` if none do. */
export type Finding = Pick<Difference, "kind" | "is" | "should"> & { change: Partial<StoredPlayer> | null };

/** The key of an item. */
export const keyOf = ({ pk, sk }: StoredItem): Key => ({ pk, sk });

/** Identifies a difference without its values. */
export const identityOf = ({ kind, which, key }: Difference): string =>
  JSON.stringify([kind, which, key.pk, key.sk]);

/** Identifies a difference with its values; equal if nothing has changed. */
export const contentOf = (difference: Difference): string =>
  JSON.stringify([identityOf(difference), difference.is, difference.should]);

const isScalar = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

/** Returns the condition that an item without a `rev` has not changed, including fields that were absent. */
export const expectAsRead = (
  item: Item,
  maybe: readonly string[],
): { is: Record<string, string | number | undefined> } => {
  const { pk: _, sk: _1, ...rest } = item;
  const absent = maybe.filter((name) => rest[name] === undefined).map((name) => [name, undefined]);
  const plain = Object.entries(rest).filter(([, value]) => isScalar(value));
  return { is: Object.fromEntries([...absent, ...plain]) };
};

/** The index keys of an item. */
export const INDEX_ATTRIBUTES = KEY_ATTRIBUTES.filter((name) => name.startsWith("gsi"));

/** Describes the index entries of an item that are wrong; `null` if they are right. */
export const findWrongIndexKeys = (
  item: StoredItem,
  should: StoredItem,
): { is: string; should: string } | null => {
  const wrong = INDEX_ATTRIBUTES.filter((name) => item[name] !== should[name]);
  if (wrong.length === 0) return null;
  const describe = (one: StoredItem): string =>
    wrong.map((name) => `${name} ${isScalar(one[name]) ? one[name] : "none"}`).join(", ");
  return { is: describe(item), should: describe(should) };
};
