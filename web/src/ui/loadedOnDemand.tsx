/** Pages whose script is loaded when they are opened. */
import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { GameError } from "../api.ts";
import { ErrorNote, Skeleton } from "./feedback.tsx";

/** A component that shows a skeleton until its script is there, and lets the user try again if that fails. */
export const loadedOnDemand = (load: () => Promise<ComponentType>): ComponentType => {
  let loadedComponent: ComponentType | null = null;
  return () => {
    const [error, setError] = useState<unknown>(null);
    const [, setLoaded] = useState(loadedComponent !== null);
    const start = (): void => {
      setError(null);
      load().then(
        (component) => {
          loadedComponent = component;
          setLoaded(true);
        },
        () => setError(new GameError("offline", {})),
      );
    };
    useEffect(() => {
      if (loadedComponent === null) start();
    }, []);
    const Loaded = loadedComponent;
    if (Loaded !== null) return <Loaded />;
    return (
      <main class="page">{error === null ? <Skeleton /> : <ErrorNote error={error} onRetry={start} />}</main>
    );
  };
};
