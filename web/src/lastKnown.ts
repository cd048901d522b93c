/** Offline cache of what pages last showed, in IndexedDB. A logout clears it. */
import { clear, createStore, get, set, type UseStore } from "idb-keyval";

export interface LastKnown<T> {
  items: T[];
  /** When it was read, in milliseconds since 1970 by the service's clock. */
  readAt: number;
}

const store = (): UseStore => createStore("last-known", "pages");

/** Returns the cached content of a page, or `null`. */
export const readLastKnown = async <T>(name: string): Promise<LastKnown<T> | null> =>
  (await get<LastKnown<T>>(name, store()).catch(() => undefined)) ?? null;

/** Caches the content of a page. Ignores errors, such as an exceeded storage quota. */
export const saveLastKnown = async <T>(name: string, value: LastKnown<T>): Promise<void> => {
  await set(name, value, store()).catch(() => {});
};

export const clearLastKnown = async (): Promise<void> => {
  await clear(store()).catch(() => {});
};
