/** Parts of a page that wait until the rest has been painted and the browser has nothing else to do. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The longest that they wait, in milliseconds. */
const IDLE_TIMEOUT_MS = 1_000;

/** Calls a function when the browser is idle. @returns a function that takes it back */
export const whenIdle = (callback: () => void): (() => void) => {
  // Safari has no idle callbacks.
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(callback, 50);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(callback, { timeout: IDLE_TIMEOUT_MS });
  return () => cancelIdleCallback(handle);
};

interface LaterProps {
  /** What is shown until then. */
  fallback?: ComponentChildren;
  children: () => ComponentChildren;
}

/** Its content is drawn when the browser is idle. */
export const Later = ({ fallback = null, children }: LaterProps) => {
  const [isIdle, setIdle] = useState(false);
  useEffect(() => whenIdle(() => setIdle(true)), []);
  return isIdle ? children() : fallback;
};
