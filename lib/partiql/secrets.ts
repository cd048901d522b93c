/** What names a secret: any text that begins as the partition keys of secrets do, or looks as if it did. */
import unhomoglyph from "unhomoglyph";
import { INDEXES } from "../dynamodb/key.ts";
import { SECRET } from "../store/keys.ts";

/** How a text looks, without what cannot be seen and in one case. */
const look = (text: string): string =>
  unhomoglyph(text.normalize("NFKD").replaceAll(/[\p{C}\p{Z}\p{M}]/gu, "")).toLowerCase();

const SECRET_LOOK = look(SECRET);

/** Whether a text could be taken for the partition key of a secret, by anybody or any program. */
export const namesSecret = (text: string): boolean => look(text).startsWith(SECRET_LOOK);

/** Whether something within a value, however deep, {@link namesSecret}. */
export const holdsSecretName = (value: unknown): boolean => {
  if (typeof value === "string") return namesSecret(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => namesSecret(key) || holdsSecretName(inner));
};

/** The partition keys of the table and its indexes. */
export const PARTITION_KEYS: readonly string[] = ["pk", ...INDEXES.map((index) => `${index}pk`)];

/** Whether an item as it lies in the table holds a secret. */
export const isSecret = (item: Record<string, unknown>): boolean =>
  PARTITION_KEYS.some((key) => {
    const value = item[key];
    return typeof value === "string" && value.startsWith(SECRET);
  });
