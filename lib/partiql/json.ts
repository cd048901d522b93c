/** Items as JSON says them. */

const SURE_DIGITS = 15;

/** A number of the database: as a number where that says it exactly, else as its digits. */
export const exactNumber = (text: string): number | string => {
  const value = Number(text);
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return text;
  const digits = text.replace(/e.*$/i, "").replaceAll(/[^\d]/g, "").replace(/^0+/, "");
  return digits.length <= SURE_DIGITS || String(value) === text ? value : text;
};

/** A value as JSON says it: sets as arrays, bytes in base64. */
export const plain = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Set) return [...value].map(plain);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
};
