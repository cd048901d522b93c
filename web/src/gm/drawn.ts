/** Draws a long list in steps: the rest follows as it comes into view, so that a key is answered at once. */
import { useEffect, useRef, useState } from "preact/hooks";

const STEP = 30;
/** How far below the window the next step begins. */
const AHEAD = "800px";

/**
 * @param of what is shown; another list begins at its top again
 * @returns how many are drawn, a function that draws more, and the reference of the element below the last one
 */
export const useDrawn = (of: unknown) => {
  const [state, setState] = useState({ drawn: STEP, of });
  const end = useRef<HTMLButtonElement>(null);
  const drawn = state.of === of ? state.drawn : STEP;
  const more = (): void => setState({ drawn: drawn + STEP, of });
  useEffect(() => {
    const { current } = end;
    if (current === null) return;
    const follow: IntersectionObserverCallback = (seen) => {
      if (seen.some(({ isIntersecting }) => isIntersecting)) more();
    };
    const observer = new IntersectionObserver(follow, { rootMargin: AHEAD });
    observer.observe(current);
    return () => observer.disconnect();
  });
  return { drawn, more, end };
};
