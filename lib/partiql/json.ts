/** Converts items to JSON. */

/** A value as JSON: sets as arrays, bytes in base64. */
export const toJson = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Set) return [...value].map(toJson);
  if (Array.isArray(value)) return value.map(toJson);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toJson(inner)]));
};
