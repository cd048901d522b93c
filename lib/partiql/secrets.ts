/** Detects partition keys of secrets, and texts that look like them. */
import unhomoglyph from "unhomoglyph";
import { INDEXES } from "../dynamodb/key.ts";
import { SECRET } from "../store/keys.ts";

const unseen = /[\p{C}\p{Z}\p{M}]/gu;

/**
 * The skeleton of a text in lower case, without spaces, invisible characters and combining marks. They are also removed
 * before it is normalized, which takes time by the square of the number of marks on a letter.
 */
const skeletonOf = (text: string): string =>
  unhomoglyph(text.replaceAll(unseen, "").normalize("NFKD").replaceAll(unseen, "")).toLowerCase();

const SECRET_SKELETON = skeletonOf(SECRET);

/** Whether a text is, or looks like, the partition key of a secret. */
export const namesSecret = (text: string): boolean => skeletonOf(text).startsWith(SECRET_SKELETON);

/** Whether a value or any nested value is, or looks like, the partition key of a secret. */
export const holdsSecretName = (value: unknown): boolean => {
  if (typeof value === "string") return namesSecret(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => namesSecret(key) || holdsSecretName(inner));
};

export const PARTITION_KEYS: readonly string[] = ["pk", ...INDEXES.map((index) => `${index}pk`)];

/** Whether a stored item holds a secret. */
export const isSecret = (item: Record<string, unknown>): boolean =>
  PARTITION_KEYS.some((key) => {
    const value = item[key];
    return typeof value === "string" && value.startsWith(SECRET);
  });
