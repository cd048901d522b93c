/** A page that shows an error and a way on, instead of staying as it is for good, if one of its components throws. */
import type { ComponentChildren } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { useLocation } from "preact-iso";
import { clearLastKnown } from "../../state/lastKnown.ts";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";

const Failed = ({ onRetry }: { onRetry: () => void }) => (
  <main class="page stack" data-failed>
    <h1>{en.failed.title}</h1>
    <p role="alert">{en.failed.text}</p>
    <Button text={en.common.retry} kind="primary" onClick={onRetry} />
  </main>
);

const Boundary = ({ children }: { children: ComponentChildren }) => {
  // Reported like an error that nobody catches: otherwise no test and no console would know of it.
  const [error, reset] = useErrorBoundary((thrown) => {
    reportError(thrown);
    // What is kept on this device may be the cause. Lists are read again; an unusable snapshot has been left out already.
    void clearLastKnown();
  });
  return error === undefined ? children : <Failed onRetry={reset} />;
};

/** Another page begins anew, and so does a retry. */
export const Guarded = ({ children }: { children: ComponentChildren }) => {
  const { path } = useLocation();
  return <Boundary key={path}>{children}</Boundary>;
};
