/** Images of the table's stream. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import * as z from "zod/mini";
import type { StoredItem } from "./database.ts";

/** Lambda and the SDK name the types of an image differently. */
const Image = z.record(
  z.string(),
  z.custom<AttributeValue>((value) => typeof value === "object" && value !== null),
);

/** The item that an image of a stream record describes. @throws Error if it is no image of an item */
export const itemOfImage = (image: unknown): StoredItem => {
  const item = unmarshall(Image.parse(image));
  const { pk, sk } = item;
  if (typeof pk !== "string" || typeof sk !== "string") throw new Error("an item has no keys");
  return { ...item, pk, sk };
};
