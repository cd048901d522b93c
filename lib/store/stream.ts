/** Records of the table's stream, which contains every committed change of an item. */
import type { Interaction } from "../domain/interaction.ts";
import { itemOfImage } from "../dynamodb/streamImage.ts";
import { type LogEntry, parseInteraction, parseLogEntry } from "./items.ts";
import { interactionsList, logsList } from "./keys.ts";

/** A new item that the stream worker handles; `null` for other items. */
export type StreamItem = { interaction: Interaction } | { log: LogEntry } | null;

const isInList = (pk: string, list: string): boolean => pk.startsWith(list.slice(0, -1));

/** Parses the new image of a record. @throws Error if it is invalid */
export const parseStreamItem = (image: unknown): StreamItem => {
  const item = itemOfImage(image);
  if (isInList(item.pk, interactionsList(0))) return { interaction: parseInteraction(item) };
  if (isInList(item.pk, logsList(0))) return { log: parseLogEntry(item) };
  return null;
};
