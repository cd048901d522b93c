/** Write units of the table and of each index, from the sizes of the items. */
import { isDeepStrictEqual } from "node:util";
import type { Item } from "../../lib/dynamodb/database.ts";
import { readDefinition } from "../../scripts/local/table.ts";

/** The units that a call consumes in one partition of the table or of an index. */
export interface Part {
  /** `table`, or the name of the index. */
  place: string;
  pk: string;
  units: number;
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
const sizeOfValue = (value: unknown): number => {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return Math.ceil(String(Math.abs(value)).length / 2) + 1;
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + sizeOfValue(one), 3);
  if (typeof value === "object" && value !== null) return 3 + Object.keys(value).length + sizeOfItem(value);
  return 1;
};

/** The bytes that DynamoDB counts for an item. */
export const sizeOfItem = (item: object): number =>
  Object.entries(item)
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value), 0);

const unitsOf = (...items: readonly (Item | undefined)[]): number =>
  Math.max(1, ...items.map((item) => Math.ceil(sizeOfItem(item ?? {}) / 1_024)));

export interface IndexShape {
  name: string;
  pk: string;
  sk: string;
  attributes: readonly string[];
}

/** Reads the indexes of the table from its definition. */
export const readIndexes = async (): Promise<IndexShape[]> => {
  const { KeySchema: own, GlobalSecondaryIndexes } = await readDefinition();
  const namesOf = (keys: typeof own): string[] => keys.map(({ AttributeName }) => AttributeName);
  return GlobalSecondaryIndexes.map(({ IndexName: name, KeySchema, Projection }) => {
    const [pk = "", sk = ""] = namesOf(KeySchema);
    const attributes = [...namesOf(own), pk, sk, ...(Projection.NonKeyAttributes ?? [])];
    return { name, pk, sk, attributes };
  });
};

/** An item before and after a write. */
interface Change {
  old: Item | undefined;
  now: Item | undefined;
}

const entryOf = ({ pk, sk, attributes }: IndexShape, item: Item | undefined): Item | undefined =>
  item?.[pk] === undefined || item[sk] === undefined
    ? undefined
    : Object.fromEntries(
        attributes.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])),
      );

/** An unchanged index entry costs nothing; an entry with another key costs a removal and an addition. */
const partsOfIndex = (index: IndexShape, { old, now }: Change): Part[] => {
  const [before, after] = [entryOf(index, old), entryOf(index, now)];
  if (isDeepStrictEqual(before, after)) return [];
  const part = (entry: Item, units: number): Part => ({
    place: index.name,
    pk: String(entry[index.pk]),
    units,
  });
  const isSameKey = before?.[index.pk] === after?.[index.pk] && before?.[index.sk] === after?.[index.sk];
  if (isSameKey && after !== undefined) return [part(after, unitsOf(before, after))];
  return [before, after].flatMap((entry) => (entry === undefined ? [] : [part(entry, unitsOf(entry))]));
};

/** @param times how many times the table is charged for the write */
export const partsOfWrite = (
  indexes: readonly IndexShape[],
  pk: string,
  change: Change,
  times: number,
): Part[] => [
  { place: "table", pk, units: unitsOf(change.old, change.now) * times },
  ...indexes.flatMap((index) => partsOfIndex(index, change)),
];
