/** Records of the table's stream, which holds each change of an item as it was committed. */
import type { AttributeValue } from "@aws-sdk/client-dynamodb";
import { type NativeAttributeValue, unmarshall } from "@aws-sdk/util-dynamodb";
import * as z from "zod/mini";
import type { Interaction } from "../domain/interaction.ts";
import { type LogEntry, parseInteraction, parseLogEntry } from "./items.ts";
import { interactionsList, logsList } from "./keys.ts";

/** The new image of a record, as the stream has it; Lambda and the SDK name its types differently. */
const Image = z.record(
  z.string(),
  z.custom<AttributeValue>((value) => typeof value === "object" && value !== null),
);

/** An item that has come into the table, of those that others hear of; `null` for any other. */
export type Written = { interaction: Interaction } | { log: LogEntry } | null;

const ofList = (pk: string, list: string): boolean => pk.startsWith(list.slice(0, -1));

/** What a new item is. @throws Error for one that cannot be read */
export const parseWritten = (image: unknown): Written => {
  const item: Record<string, NativeAttributeValue> = unmarshall(Image.parse(image));
  const { pk, sk } = item;
  if (typeof pk !== "string" || typeof sk !== "string") throw new Error("an item has no keys");
  if (ofList(pk, interactionsList(0))) return { interaction: parseInteraction({ ...item, pk, sk }) };
  if (ofList(pk, logsList(0))) return { log: parseLogEntry({ ...item, pk, sk }) };
  return null;
};
