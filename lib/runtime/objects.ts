/** Reads objects of unknown type. */

/** Whether a value is an object with named fields, not a list. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A field of a value; `undefined` if the value is no object or has no such field. */
export const property = (value: unknown, name: PropertyKey): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
