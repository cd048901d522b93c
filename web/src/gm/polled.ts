/** Values that a page of game masters keeps up to date. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { checkRole } from "./calls.ts";
import { changes } from "./plan.tsx";

interface Polled<T> {
  value: T | null;
  error: unknown;
  reload: () => void;
}

const POLL_MS = 15_000;

/**
 * Reads a value at once, after every command, and every 15 seconds while the page is visible.
 * @param read must be stable; `null` reads nothing
 */
export const usePolled = <T>(read: (() => Promise<T>) | null): Polled<T> => {
  const state = useSignal<{ value: T | null; error: unknown; of: unknown }>({
    value: null,
    error: null,
    of: read,
  });
  const latest = useRef(read);
  latest.current = read;
  const load = (): void => {
    if (read === null) return;
    read().then(
      (value) => {
        // A slow answer to an earlier question comes too late.
        if (latest.current === read) state.value = { value, error: null, of: read };
      },
      (error: unknown) => {
        if (latest.current !== read) return;
        checkRole(error);
        state.value = { ...state.value, error };
      },
    );
  };
  const count = changes.value;
  // A command may have changed what is read.
  useEffect(load, [read, count]);
  useEffect(() => {
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") load();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, [read]);
  const { value, error, of } = state.value;
  // What was read for other parameters is not shown.
  return { value: of === read ? value : null, error, reload: load };
};
