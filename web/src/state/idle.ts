/** Work that waits until the browser is idle. */

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
