/**
 * What is kept in this browser's local storage. Each value has a version, so that another build of the app can tell what it
 * reads. A value that cannot be read, or that has another shape than the app needs, is none: the app goes on without it.
 * A browser that keeps no data of this site throws at each access, and then everything is none.
 */
import { isKnownVersion, VERSION } from "./shapes.ts";

/** Returns a stored text, or `null`. */
export const readText = (name: string): string | null => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

/** Returns a stored value, or `null`. */
export const readStored = <T>(name: string, isValid: (value: unknown) => boolean): T | null => {
  try {
    const value: unknown = JSON.parse(readText(name) ?? "null");
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

/** Removes what is stored under a name. */
export const removeStored = (name: string): void => {
  try {
    localStorage.removeItem(name);
  } catch {
    // Nothing is stored.
  }
};

/** Returns the names that begin with a prefix, under which something is stored. */
export const storedNames = (prefix: string): string[] => {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
};

/** Removes what is stored under all names that begin with a prefix. */
export const removeAllStored = (prefix: string): void => {
  for (const name of storedNames(prefix)) removeStored(name);
};
