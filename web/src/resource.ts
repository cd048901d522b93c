/** A list or value that a page reads from the service: loaded, failed, or with more pages to come. */
import { useSignal } from "@preact/signals";
import { useCallback, useEffect } from "preact/hooks";
import { isUnreachable } from "./api.ts";
import { readLastKnown, saveLastKnown } from "./lastKnown.ts";
import { isOffline, now, sessionState } from "./session.ts";
import { whenIdle } from "./ui/later.tsx";

export interface PageOf<T> {
  items: T[];
  next: string | null;
}

interface Loaded<T> extends PageOf<T> {
  error: unknown;
  isLoading: boolean;
  /** When the items were read, in milliseconds since 1970 by the service's clock. */
  readAt: number;
  /** Whether they may be out of date, because the service could not be reached. */
  isStale: boolean;
}

/** After so long without a response a page shows what it last showed, in milliseconds. */
const FALLBACK_MS = 2_500;

/**
 * Reads a list page by page.
 * @param read reads the page at a cursor; it must be stable
 * @param name under which the first page is kept, to be shown without a network
 */
export const usePages = <T>(read: (cursor: string | undefined) => Promise<PageOf<T>>, name?: string) => {
  const state = useSignal<Loaded<T>>({
    ...{ items: [], next: null, error: null, isLoading: true, readAt: 0, isStale: false },
  });
  const load = useCallback(
    async (cursor?: string) => {
      state.value = { ...state.value, error: null, isLoading: true };
      const isFirst = cursor === undefined;
      const showCached = async (): Promise<void> => {
        if (name === undefined || state.value.items.length > 0) return;
        const cached = await readLastKnown<T>(name);
        if (cached !== null && state.value.isLoading)
          state.value = { ...state.value, ...cached, isStale: true };
      };
      const timer = isFirst ? setTimeout(() => void showCached(), FALLBACK_MS) : undefined;
      try {
        const page = await read(cursor);
        const before = isFirst ? [] : state.value.items;
        const items = [...before, ...page.items];
        const readAt = now.peek() ?? Date.now();
        state.value = { items, next: page.next, error: null, isLoading: false, readAt, isStale: false };
        // After a logout nothing is kept.
        const save = (): void => {
          if (name !== undefined && sessionState.peek() === "active")
            void saveLastKnown(name, { items, readAt });
        };
        if (isFirst) whenIdle(save);
      } catch (error) {
        if (isFirst && isUnreachable(error)) await showCached();
        const isStale = isFirst && isUnreachable(error) && state.value.items.length > 0;
        state.value = { ...state.value, error: isStale ? null : error, isLoading: false, isStale };
      } finally {
        clearTimeout(timer);
      }
    },
    [read, state, name],
  );
  useEffect(() => void load(), [load]);
  const offline = isOffline.value;
  useEffect(() => {
    if (!offline && state.value.isStale) void load();
  }, [offline]);
  const { next } = state.value;
  return { ...state.value, reload: () => load(), loadMore: next === null ? undefined : () => load(next) };
};

/** Reads one value; `null` until it is there, and when it cannot be read. */
export const useValue = <T>(read: () => Promise<T>): T | null => {
  const value = useSignal<T | null>(null);
  useEffect(() => {
    void read().then(
      (loaded) => {
        value.value = loaded;
      },
      () => {},
    );
  }, [read, value]);
  return value.value;
};

/** Sends a form: whether it is being sent, and the error of the last attempt. */
export const useSubmit = (send: () => Promise<void>) => {
  const state = useSignal<{ isSending: boolean; error: unknown }>({ isSending: false, error: null });
  const submit = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    if (state.value.isSending) return;
    state.value = { isSending: true, error: null };
    try {
      await send();
      state.value = { isSending: false, error: null };
    } catch (error) {
      state.value = { isSending: false, error };
    }
  };
  return { ...state.value, submit };
};
