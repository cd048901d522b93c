/** Values that a page of game masters keeps up to date. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { snapshot } from "../session.ts";
import { checkRole } from "./calls.ts";
import { changeCount } from "./plan.tsx";

interface Polled<T> {
  value: T | null;
  error: unknown;
  reload: () => void;
}

/** For what does not change the game, such as a new dispute. */
const FALLBACK_MS = 5 * 60_000;

/**
 * Reads a value at once, after every command, when something has happened in the game, and when the page is looked at
 * again. It does not read more often, because every call of a game master is an entry of the log.
 * @param read must be stable; `null` reads nothing
 */
export const usePolled = <T>(read: (() => Promise<T>) | null): Polled<T> => {
  const state = useSignal<{ value: T | null; error: unknown; source: unknown }>({
    value: null,
    error: null,
    source: read,
  });
  const latest = useRef(read);
  latest.current = read;
  const load = (): void => {
    if (read === null) return;
    read().then(
      (value) => {
        // A slow answer to an earlier question comes too late.
        if (latest.current === read) state.value = { value, error: null, source: read };
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
  const changesSeen = changeCount.value;
  useEffect(load, [read, game, changesSeen]);
  useEffect(() => {
    const reloadIfVisible = (): void => {
      if (document.visibilityState === "visible") load();
    };
    const timer = setInterval(reloadIfVisible, FALLBACK_MS);
    document.addEventListener("visibilitychange", reloadIfVisible);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", reloadIfVisible);
    };
  }, [read]);
  const { value, error, source } = state.value;
  // What was read for other parameters is not shown.
  return { value: source === read ? value : null, error, reload: load };
};
