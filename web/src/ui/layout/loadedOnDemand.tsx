/** Lazy-loaded pages. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { GameError } from "../../state/api.ts";
import { ErrorNote, Skeleton } from "../feedback.tsx";

/** Returns a component that loads its script on first use, with a skeleton meanwhile and a retry button after an error. */
export const loadedOnDemand = <P extends object = object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> => {
  let loadedComponent: ComponentType<P> | null = null;
  return (props) => {
    const [error, setError] = useState<unknown>(null);
    const [, setLoaded] = useState(loadedComponent !== null);
    const start = (): void => {
      setError(null);
      load().then(
        (component) => {
          loadedComponent = component;
          setLoaded(true);
        },
        () => setError(new GameError("The page cannot be loaded.", { code: "network" })),
      );
    };
    useEffect(() => {
      if (loadedComponent === null) start();
    }, []);
    const Loaded = loadedComponent;
    if (Loaded !== null) return <Loaded {...props} />;
    return (
      <main class="page">{error === null ? <Skeleton /> : <ErrorNote error={error} onRetry={start} />}</main>
    );
  };
};
