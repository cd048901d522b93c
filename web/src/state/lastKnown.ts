/** Offline cache of what pages last showed, in IndexedDB. A logout clears it. */
import { clear, createStore, get, set, type UseStore } from "idb-keyval";
import { ITEMS, instant, isKnownVersion, type ListName, list, shape, VERSION } from "./shapes.ts";

export interface LastKnown<T> {
  items: T[];
  /** When it was read, in milliseconds since 1970 by the service's clock. */
  readAt: number;
}

const store = (): UseStore => createStore("last-known", "pages");

/** Returns the cached content of a page, or `null`, also if it does not have what the page needs. */
export const readLastKnown = async <T>(name: ListName): Promise<LastKnown<T> | null> => {
  try {
    const found = await get<LastKnown<T>>(name, store());
    const isUsable = shape<LastKnown<T>>({ items: list(ITEMS[name]), readAt: instant });
    return found !== undefined && isUsable(found) && isKnownVersion(found) ? found : null;
  } catch {
    return null;
  }
};

/** Caches the content of a page. Ignores errors, such as an exceeded storage quota. */
export const saveLastKnown = async <T>(name: ListName, value: LastKnown<T>): Promise<void> => {
  try {
    await set(name, { ...value, version: VERSION }, store());
  } catch {
    // Nothing is cached.
  }
};

export const clearLastKnown = async (): Promise<void> => {
  try {
    await clear(store());
  } catch {
    // Nothing is cached.
  }
};
