/** A list or value that a page reads from the service: loaded, failed, or with more pages to come. */
import { useSignal } from "@preact/signals";
import { useCallback, useEffect } from "preact/hooks";

export interface PageOf<T> {
  items: T[];
  next: string | null;
}

interface Loaded<T> extends PageOf<T> {
  error: unknown;
  isLoading: boolean;
}

/** Reads a list page by page. @param read reads the page at a cursor; it must be stable */
export const usePages = <T>(read: (cursor: string | undefined) => Promise<PageOf<T>>) => {
  const state = useSignal<Loaded<T>>({ items: [], next: null, error: null, isLoading: true });
  const load = useCallback(
    async (cursor?: string) => {
      state.value = { ...state.value, error: null, isLoading: true };
      try {
        const page = await read(cursor);
        const before = cursor === undefined ? [] : state.value.items;
        state.value = { items: [...before, ...page.items], next: page.next, error: null, isLoading: false };
      } catch (error) {
        state.value = { ...state.value, error, isLoading: false };
      }
    },
    [read, state],
  );
  useEffect(() => void load(), [load]);
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
