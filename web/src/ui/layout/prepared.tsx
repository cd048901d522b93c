/** What a moment of the game shows over a page: its script is there before the moment comes. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { untilQuiet } from "../../state/api.ts";

/** Returns a component that loads its script while the page is quiet, or at once when it is `due`, and then draws it. */
export const prepared = (load: () => Promise<ComponentType>): ComponentType<{ due: boolean }> => {
  let loaded: ComponentType | null = null;
  return ({ due }) => {
    const [, setLoaded] = useState(loaded !== null);
    useEffect(() => {
      if (loaded !== null) return;
      const fetchIt = async (): Promise<void> => {
        if (!due) await untilQuiet();
        loaded = await load();
        setLoaded(true);
      };
      // The next page of the app tries again.
      void fetchIt().catch(() => {});
    }, [due]);
    const Loaded = loaded;
    return due && Loaded !== null ? <Loaded /> : null;
  };
};
