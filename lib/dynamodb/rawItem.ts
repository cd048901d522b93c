/** Items with DynamoDB's type descriptors. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import type { Key } from "./key.ts";

type Json = Record<string, unknown>;

/** An item with the type descriptor of each value, so that no value is converted. */
export type RawItem = Record<string, AttributeValue>;

/** Returns the key of an item. */
export const keyOf = ({ pk, sk }: RawItem): Key => ({ pk: pk?.S ?? "", sk: sk?.S ?? "" });

/** Converts a key to the form that the DynamoDB client takes. */
export const rawKey = ({ pk, sk }: Key): RawItem => ({ pk: { S: pk }, sk: { S: sk } });

/** The item as the service uses it. @throws Error if it has no keys */
export const itemOfRaw = (raw: RawItem): Json & Key => {
  const item = unmarshall(raw);
  const { pk, sk } = item;
  if (typeof pk !== "string" || typeof sk !== "string") throw new Error("an item has no keys");
  return { ...item, pk, sk };
};

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");

const jsonOf = (value: AttributeValue): Json => {
  if (value.B !== undefined) return { B: base64(value.B) };
  if (value.BS !== undefined) return { BS: value.BS.map(base64) };
  if (value.L !== undefined) return { L: value.L.map(jsonOf) };
  if (value.M !== undefined) return { M: jsonOfRaw(value.M) };
  return { ...value };
};

const jsonOfRaw = (values: RawItem): Json =>
  Object.fromEntries(
    // In order, because the database returns attributes in any.
    Object.keys(values)
      .toSorted()
      .flatMap((name) => {
        const value = values[name];
        return value === undefined ? [] : [[name, jsonOf(value)]];
      }),
  );

/** Formats an item as a line of JSON, without the line break: values keep their type descriptors, and bytes are base64. */
export const lineOf = (item: RawItem): string => JSON.stringify(jsonOfRaw(item));
