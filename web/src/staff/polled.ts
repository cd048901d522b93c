/** Values that the game masters' pages keep up to date. */
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { snapshot } from "../state/session.ts";
import { checkRole } from "./calls.ts";
import { changeCount } from "./changes.ts";

interface Polled<T> {
  value: T | null;
  error: unknown;
  reload: () => void;
}

/** The polling interval for changes without a game event, such as a new dispute. */
const FALLBACK_MS = 5 * 60_000;

/**
 * Reads a value on mount, after every command, when the game has changed, when the page becomes visible, and every five
 * minutes. It does not poll more often, because every call of a game master adds an entry to the audit log.
 * @param read its identity must be stable between renders; `null` reads nothing
 */
export const usePolled = <T>(read: (() => Promise<T>) | null): Polled<T> => {
  const state = useSignal<{ value: T | null; error: unknown; source: unknown }>({
    value: null,
    error: null,
    source: read,
  });
  const latest = useRef(read);
  latest.current = read;
  /** The number of the latest request, and of the one whose response is shown. */
  const turns = useRef({ begun: 0, shown: 0 });
  const load = (): void => {
    if (read === null) return;
    turns.current.begun += 1;
    const turn = turns.current.begun;
    /** Whether a response is to what is read now, and no later request has had one. */
    const isNews = (): boolean => {
      if (latest.current !== read || turn < turns.current.shown) return false;
      turns.current.shown = turn;
      return true;
    };
    read().then(
      (value) => {
        if (isNews()) state.value = { value, error: null, source: read };
      },
      (error: unknown) => {
        if (!isNews()) return;
        checkRole(error);
        state.value = { ...state.value, error };
      },
    );
  };
  // The session polls every 15 seconds, and replaces the snapshot if the game has changed.
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
  // Hide the value that was read with other parameters.
  return { value: source === read ? value : null, error, reload: load };
};
