/** What pages last showed, kept in IndexedDB so that they can be read without a network. It is gone after a logout. */
import { clear, createStore, get, set, type UseStore } from "idb-keyval";

export interface LastKnown<T> {
  items: T[];
  /** The service's time when it was read, in milliseconds since 1970. */
  readAt: number;
}

const store = (): UseStore => createStore("last-known", "pages");

/** Returns what a page last showed; `null` if nothing is kept. */
export const readLastKnown = async <T>(name: string): Promise<LastKnown<T> | null> =>
  (await get<LastKnown<T>>(name, store()).catch(() => undefined)) ?? null;

/** Keeps what a page shows. A browser that has no room for it goes on without. */
export const saveLastKnown = async <T>(name: string, value: LastKnown<T>): Promise<void> => {
  await set(name, value, store()).catch(() => {});
};

export const clearLastKnown = async (): Promise<void> => {
  await clear(store()).catch(() => {});
};
