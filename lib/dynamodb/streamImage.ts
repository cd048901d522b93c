/** Parses the images of items in records of the table's stream. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import * as z from "zod/mini";
import type { StoredItem } from "./database.ts";
import { itemOfRaw } from "./rawItem.ts";

/** An image. The schema exists because Lambda's type of images differs from the SDK's. */
const Image = z.record(
  z.string(),
  z.custom<AttributeValue>((value) => typeof value === "object" && value !== null),
);

/** Parses an image of a stream record. @throws Error if it is not an image of an item */
export const itemOfImage = (image: unknown): StoredItem => itemOfRaw(Image.parse(image));
