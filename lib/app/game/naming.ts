/** What the page says about the game before its script runs, for chats and phones that take it from there. */
import { setTimeout } from "node:timers/promises";
import type { Call } from "../../lambda/call.ts";
import type { Store } from "../../store/store.ts";

export interface Naming {
  name: string;
  description: string | null;
}

/** A page does not wait longer for the database: without its name it works as well. */
const MAX_WAIT_MS = 500;

/** For how long the description is not read again, in milliseconds: another game may have the same `rev`. */
const CACHE_MS = 15_000;

/** What each store of this process has last read, with the `rev` of its game and the time. */
const kept = new WeakMap<Store, Naming & { rev: number; at: number }>();

const read = async (store: Store, now: number): Promise<Naming> => {
  const { rev, settings } = await store.shownGame(now);
  const last = kept.get(store);
  if (last?.rev === rev && last.at <= now && now < last.at + CACHE_MS) return last;
  const { description } = await store.texts({ consistent: false });
  const naming = { name: settings.name, description, rev, at: now };
  kept.set(store, naming);
  return naming;
};

/** The name and the description of the game; what was read last, or `null`, when the database does not answer in time. */
export const readNaming = async ({
  services: { store },
  now,
}: Pick<Call, "services" | "now">): Promise<Naming | null> => {
  const timer = new AbortController();
  const late = setTimeout(MAX_WAIT_MS, null, { signal: timer.signal }).catch(() => null);
  try {
    return (await Promise.race([read(store, now).catch(() => null), late])) ?? kept.get(store) ?? null;
  } finally {
    timer.abort();
  }
};
