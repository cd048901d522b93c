/** Parts of a page that wait until the rest has been painted and the browser has nothing else to do. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";

/** The longest that they wait, in milliseconds. */
const PATIENCE_MS = 1_000;

/** Calls a function when the browser is idle. @returns a function that takes it back */
export const whenIdle = (act: () => void): (() => void) => {
  // Safari has no idle callbacks.
  if (!("requestIdleCallback" in window)) {
    const timer = setTimeout(act, 50);
    return () => clearTimeout(timer);
  }
  const callback = requestIdleCallback(act, { timeout: PATIENCE_MS });
  return () => cancelIdleCallback(callback);
};

interface LaterProps {
  /** What is shown until then. */
  instead?: ComponentChildren;
  children: () => ComponentChildren;
}

/** Its content is drawn when the browser is idle. */
export const Later = ({ instead = null, children }: LaterProps) => {
  const [isTime, setTime] = useState(false);
  useEffect(() => whenIdle(() => setTime(true)), []);
  return isTime ? children() : instead;
};
