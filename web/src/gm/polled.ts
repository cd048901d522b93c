/** Values that a page of game masters keeps up to date. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { snapshot } from "../session.ts";
import { checkRole } from "./calls.ts";
import { changes } from "./plan.tsx";

interface Polled<T> {
  value: T | null;
  error: unknown;
  reload: () => void;
}

/** For what does not change the game, such as a new dispute. */
const SLOW_MS = 5 * 60_000;

/**
 * Reads a value at once, after every command, when something has happened in the game, and when the page is looked at
 * again. It does not read more often, because every call of a game master is an entry of the log.
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
  // The open page asks every 15 seconds whether anything has happened, and has another snapshot if so.
  const game = snapshot.value?.game;
  const done = changes.value;
  useEffect(load, [read, game, done]);
  useEffect(() => {
    const again = (): void => {
      if (document.visibilityState === "visible") load();
    };
    const timer = setInterval(again, SLOW_MS);
    document.addEventListener("visibilitychange", again);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", again);
    };
  }, [read]);
  const { value, error, of } = state.value;
  // What was read for other parameters is not shown.
  return { value: of === read ? value : null, error, reload: load };
};
