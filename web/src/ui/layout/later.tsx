/** Deferred rendering of parts of a page until the browser is idle. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The longest deferral on a busy page. */
const IDLE_TIMEOUT_MS = 1_000;

/** Calls a function when the browser is idle. Returns a function that cancels the call. */
export const whenIdle = (callback: () => void): (() => void) => {
  // Safari does not support `requestIdleCallback`.
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(callback, 50);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(callback, { timeout: IDLE_TIMEOUT_MS });
  return () => cancelIdleCallback(handle);
};

interface LaterProps {
  /** Shown until the children are rendered. */
  fallback?: ComponentChildren;
  children: () => ComponentChildren;
}

/** Renders its children when the browser is idle. */
export const Later = ({ fallback = null, children }: LaterProps) => {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  return isIdle ? children() : fallback;
};
