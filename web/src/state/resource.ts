/** Hooks that read lists and values from the service, with loading, error and stale states. */
import { useSignal } from "@preact/signals";
import { useCallback, useEffect, useRef } from "preact/hooks";
import { GameError, isUnreachable } from "./api.ts";
import { errorText } from "./errors.ts";
import { whenIdle } from "./idle.ts";
import { readLastKnown, saveLastKnown } from "./lastKnown.ts";
import { isOffline, now, sessionState } from "./session.ts";
import type { ListName } from "./shapes.ts";

export interface PageOf<T> {
  items: T[];
  next: string | null;
}

interface Loaded<T> extends PageOf<T> {
  error: unknown;
  isLoading: boolean;
  /** When the items were read, in milliseconds since 1970 by the service's clock. */
  readAt: number;
  /** Whether the items may be out of date, because the service cannot be reached. */
  isStale: boolean;
}

/**
 * Reads on until the page has some items, or the list ends. A filter can skip all that the service looks through for one
 * page.
 * @param wanted how many items are enough; more are not cut off
 */
export const readUntil = async <T>(
  read: (cursor: string | undefined) => Promise<PageOf<T>>,
  cursor?: string,
  wanted = 1,
): Promise<PageOf<T>> => {
  const page = await read(cursor);
  if (page.items.length >= wanted || page.next === null) return page;
  const rest = await readUntil(read, page.next, wanted - page.items.length);
  return { items: [...page.items, ...rest.items], next: rest.next };
};

/** A page shows its cached items if there is no response after this time. */
const FALLBACK_MS = 2_500;

/**
 * Reads a list page by page.
 * @param read reads the page at a cursor; its identity must be stable between renders
 * @param name the cache key of the first page, which is shown offline; without it nothing is cached
 */
export const usePages = <T>(read: (cursor: string | undefined) => Promise<PageOf<T>>, name?: ListName) => {
  const state = useSignal<Loaded<T>>({
    items: [],
    next: null,
    error: null,
    isLoading: true,
    readAt: 0,
    isStale: false,
  });
  /** The number of the latest request. The response to an earlier one is older, or of another list. */
  const latest = useRef(0);
  const load = useCallback(
    async (cursor?: string) => {
      latest.current += 1;
      const turn = latest.current;
      state.value = { ...state.value, error: null, isLoading: true };
      const isFirst = cursor === undefined;
      const showCached = async (): Promise<void> => {
        if (name === undefined || state.value.items.length > 0) return;
        const cached = await readLastKnown<T>(name);
        if (cached !== null && state.value.isLoading && turn === latest.current)
          state.value = { ...state.value, items: cached.items, readAt: cached.readAt, isStale: true };
      };
      const timer = isFirst ? setTimeout(() => void showCached(), FALLBACK_MS) : undefined;
      try {
        const page = await readUntil(read, cursor);
        if (turn !== latest.current) return;
        const before = isFirst ? [] : state.value.items;
        const items = [...before, ...page.items];
        const readAt = now.peek() ?? Date.now();
        state.value = { items, next: page.next, error: null, isLoading: false, readAt, isStale: false };
        // The player may have logged out in the meantime.
        const save = (): void => {
          if (name !== undefined && sessionState.peek() === "active")
            void saveLastKnown(name, { items, readAt });
        };
        if (isFirst) whenIdle(save);
      } catch (error) {
        if (turn !== latest.current) return;
        if (isFirst && isUnreachable(error)) await showCached();
        if (turn !== latest.current) return;
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

/**
 * Reads one value; `null` while it is loading and after an error.
 * @param read its identity must be stable between renders, and change with what it reads
 */
export const useReading = <T>(read: () => Promise<T>) => {
  const loaded = useSignal<{ by: typeof read; value: T | null; error: unknown } | null>(null);
  /** The number of the latest request. The page no longer wants the response to an earlier one. */
  const latest = useRef(0);
  const reload = useCallback(() => {
    latest.current += 1;
    const turn = latest.current;
    void read().then(
      (value) => {
        if (turn === latest.current) loaded.value = { by: read, value, error: null };
      },
      (error: unknown) => {
        if (turn === latest.current) loaded.value = { by: read, value: null, error };
      },
    );
  }, [read, loaded]);
  useEffect(() => {
    reload();
    return () => {
      latest.current += 1;
    };
  }, [reload]);
  const { value, error } = loaded.value?.by === read ? loaded.value : { value: null, error: null };
  return { value, error, reload };
};

/** The same for what a page can do without. */
export const useValue = <T>(read: () => Promise<T>): T | null => useReading(read).value;

/** The names of the fields that errors are about, by the code of the error. */
type FieldsOfCodes = Readonly<Record<string, string>>;

/** The error as one of the field that it is about, beside which the form shows it. */
const attributed = (error: unknown, fields: FieldsOfCodes): unknown => {
  if (!(error instanceof GameError) || error.errors.length > 0) return error;
  const { message, code, status, requestId, retryAfter, turnedAway } = error;
  const path = fields[code];
  if (path === undefined || turnedAway) return error;
  const errors = [{ path, code, message: errorText(error) }];
  return new GameError(message, { code, status, requestId, retryAfter, errors });
};

/** Brings the first field with an error into view, with the focus, so that the error is seen, heard and corrected. */
const showInvalid = (form: Element): void => {
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"]');
  field?.focus({ preventScroll: true });
  // With its label and the error.
  field?.closest("label, [data-invalid]")?.scrollIntoView({ block: "center" });
  // In large text both may not fit into the screen.
  const note = document.getElementById(field?.getAttribute("aria-describedby") ?? "");
  note?.scrollIntoView({ block: "nearest" });
};

/**
 * Submits a form, and tracks whether a request is running and the error of the last attempt.
 * @param send gets a function that gives the idempotency key for what is sent. The same is sent again with the same key as
 *   long as it has not succeeded: if only the response was lost, it has been carried out already.
 * @param fields the fields that errors of the request are about, in addition to those that the service names
 */
export const useSubmit = (
  send: (keyOf: (values: object) => string) => Promise<void>,
  fields: FieldsOfCodes = {},
) => {
  const last = useRef({ of: "", key: "" });
  const keyOf = (values: object): string => {
    const of = JSON.stringify(values);
    if (last.current.of !== of) last.current = { of, key: crypto.randomUUID() };
    return last.current.key;
  };
  const state = useSignal<{ isSending: boolean; error: unknown }>({ isSending: false, error: null });
  const submit = async (event?: Event): Promise<void> => {
    event?.preventDefault();
    if (state.value.isSending) return;
    const form = event?.currentTarget;
    state.value = { isSending: true, error: null };
    try {
      await send(keyOf);
      last.current.of = "";
      state.value = { isSending: false, error: null };
    } catch (error) {
      state.value = { isSending: false, error: attributed(error, fields) };
      // After the form has been drawn with the error.
      if (form instanceof Element) setTimeout(() => showInvalid(form));
    }
  };
  const clear = (): void => {
    state.value = { isSending: false, error: null };
  };
  return { ...state.value, submit, clear };
};
