/** Primary keys, and the names of the indexes and of their key attributes. */
import * as z from "zod/mini";

export interface Key {
  pk: string;
  sk: string;
}

/** A text that identifies a key. */
export const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** A key as stored in a job or a cursor. */
export const StoredKey = z.lazy(() => z.object({ pk: z.string(), sk: z.string() }));

/** The key attributes of the table and its indexes. */
export const KEY_ATTRIBUTES = [
  "pk",
  "sk",
  "gsi1pk",
  "gsi1sk",
  "gsi2pk",
  "gsi2sk",
  "gsi3pk",
  "gsi3sk",
] as const;

export const INDEXES = ["gsi1", "gsi2", "gsi3"] as const;

export type Index = (typeof INDEXES)[number];
