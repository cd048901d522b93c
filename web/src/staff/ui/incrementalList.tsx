/** Renders a long list incrementally (infinite scroll), so that a key press does not wait for hundreds of rows. */
import { useEffect, useRef, useState } from "preact/hooks";
import { gm } from "../../text/staff.ts";

const STEP_SIZE = 30;
/** The next step is rendered while the end of the list is still this far below the viewport. */
const ROOT_MARGIN = "800px";

/**
 * @param items the whole list
 * @param list a different one starts again with its first step
 * @returns the items to render, and the button after the last one; `null` if there are no more
 */
export const useIncrementalList = <T,>(items: readonly T[], list: unknown = items) => {
  const [state, setState] = useState({ count: STEP_SIZE, list });
  const sentinel = useRef<HTMLButtonElement>(null);
  const count = state.list === list ? state.count : STEP_SIZE;
  const showMore = (): void => setState({ count: count + STEP_SIZE, list });
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
  const more =
    items.length <= count ? null : (
      <button ref={sentinel} type="button" class="button" onClick={showMore}>
        {gm.common.more}
      </button>
    );
  return { first: items.slice(0, count), more };
};
