/** What a write costs the table and each of its indexes, by the sizes of the items, as DynamoDB counts them. */
import { isDeepStrictEqual } from "node:util";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { Item } from "../../lib/dynamodb/database.ts";

const KILOBYTE = 1_024;

/** https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html */
const sizeOfValue = (value: unknown): number => {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return Math.ceil(String(Math.abs(value)).length / 2) + 1;
  if (value instanceof Uint8Array) return value.length;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + sizeOfValue(one), 3);
  if (typeof value === "object" && value !== null) return 3 + Object.keys(value).length + sizeOfItem(value);
  return 1;
};

const sizeOfItem = (item: object): number =>
  Object.entries(item)
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value), 0);

const unitsOf = (...items: readonly (Item | undefined)[]): number =>
  Math.max(1, ...items.map((item) => Math.ceil(sizeOfItem(item ?? {}) / KILOBYTE)));

/** An index as the table has it. */
export interface IndexShape {
  name: string;
  pk: string;
  sk: string;
  attributes: readonly string[];
}

/** The indexes of a table, as the engine tells of them. */
export const indexesOf = async (endpoint: string, table: string): Promise<IndexShape[]> => {
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const client = new DynamoDBClient({ endpoint, region: "local", credentials });
  const { Table } = await client.send(new DescribeTableCommand({ TableName: table }));
  client.destroy();
  const own = (Table?.KeySchema ?? []).map(({ AttributeName = "" }) => AttributeName);
  return (Table?.GlobalSecondaryIndexes ?? []).map(({ IndexName = "", KeySchema = [], Projection }) => {
    const [pk = "", sk = ""] = KeySchema.map(({ AttributeName = "" }) => AttributeName);
    return { name: IndexName, pk, sk, attributes: [...own, pk, sk, ...(Projection?.NonKeyAttributes ?? [])] };
  });
};

/** Units that a write costs a partition of an index. */
export interface EntryCost {
  index: string;
  pk: string;
  units: number;
}

const entryOf = ({ pk, sk, attributes }: IndexShape, item: Item | undefined): Item | undefined =>
  item?.[pk] === undefined || item[sk] === undefined
    ? undefined
    : Object.fromEntries(
        attributes.flatMap((name) => (item[name] === undefined ? [] : [[name, item[name]]])),
      );

/** What a change of an item costs an index: nothing where the entry stays, a removal and an addition where it moves. */
const costsOfIndex = (index: IndexShape, before: Item | undefined, after: Item | undefined): EntryCost[] => {
  const [old, now] = [entryOf(index, before), entryOf(index, after)];
  const cost = (entry: Item, units: number): EntryCost => ({
    index: index.name,
    pk: String(entry[index.pk]),
    units,
  });
  if (
    old !== undefined &&
    now !== undefined &&
    old[index.pk] === now[index.pk] &&
    old[index.sk] === now[index.sk]
  ) {
    return isDeepStrictEqual(old, now) ? [] : [cost(now, unitsOf(old, now))];
  }
  return [old, now].flatMap((entry) => (entry === undefined ? [] : [cost(entry, unitsOf(entry))]));
};

/** What a write costs: the item itself, written once, and its entries in the indexes. */
export const costsOfWrite = (
  indexes: readonly IndexShape[],
  before: Item | undefined,
  after: Item | undefined,
): { units: number; entries: EntryCost[] } => ({
  units: unitsOf(before, after),
  entries: indexes.flatMap((index) => costsOfIndex(index, before, after)),
});
