/** Renders a long list incrementally (infinite scroll), so that a key press does not wait for hundreds of rows. */
import { useEffect, useRef, useState } from "preact/hooks";

const STEP_SIZE = 30;
/** The next step is rendered while the end of the list is still this far below the viewport. */
const ROOT_MARGIN = "800px";

/**
 * @param items the whole list; a different list starts again with its first step
 * @returns how many items to render, a function that renders more, and the ref of the button after the last one
 */
export const useIncrementalList = (items: unknown) => {
  const [state, setState] = useState({ count: STEP_SIZE, items });
  const sentinel = useRef<HTMLButtonElement>(null);
  const count = state.items === items ? state.count : STEP_SIZE;
  const showMore = (): void => setState({ count: count + STEP_SIZE, items });
  useEffect(() => {
    const { current } = sentinel;
    if (current === null) return;
    const onIntersect: IntersectionObserverCallback = (entries) => {
      if (entries.some(({ isIntersecting }) => isIntersecting)) showMore();
    };
    const observer = new IntersectionObserver(onIntersect, { rootMargin: ROOT_MARGIN });
    observer.observe(current);
    return () => observer.disconnect();
  });
  return { count, showMore, sentinel };
};
