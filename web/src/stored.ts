/**
 * What is kept in this browser's local storage. Each value has a version, so that another build of the app can tell what it
 * reads. A value that cannot be read, or that has another shape than the app needs, is none: the app goes on without it.
 */

import { isKnownVersion, VERSION } from "./shapes.ts";

/** Returns a stored value, or `null`. */
export const readStored = <T>(name: string, isValid: (value: unknown) => boolean): T | null => {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? "null");
    const isUsable = typeof value === "object" && value !== null && isKnownVersion(value) && isValid(value);
    // `isValid` checks what the app needs of the type.
    return isUsable ? (value as T) : null;
  } catch {
    return null;
  }
};

/** Stores a text, and returns whether the browser has taken it: a quota may be exceeded, and the app goes on without. */
export const writeText = (name: string, text: string): boolean => {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
};

/** Stores a value; an object gets the version. */
export const writeStored = (name: string, value: object): boolean =>
  writeText(name, JSON.stringify(Array.isArray(value) ? value : { ...value, version: VERSION }));
