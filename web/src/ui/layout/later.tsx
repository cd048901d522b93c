/** Deferred rendering of parts of a page until the browser is idle. */
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { whenIdle } from "../../state/idle.ts";

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
