/** Components for errors, empty lists, stale data and loading states. */
import { TriangleAlert } from "lucide";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { errorText, hasFieldErrors } from "../state/errors.ts";
import { isBusy, isOffline, lastSyncedAt, now } from "../state/session.ts";
import { en } from "../text/en.ts";
import { timeText } from "../text/times.ts";
import { Button } from "./button.tsx";
import { Crowd } from "./crowd.tsx";
import { Icon } from "./icon.tsx";
import "./feedback.css";

/** What has gone wrong, in words. */
export const FaultNote = ({ text, children }: { text: string; children?: ComponentChildren }) => (
  <div class="error-note" role="alert">
    <Icon of={TriangleAlert} size={20} />
    <p>{text}</p>
    {children}
  </div>
);

/** The message of an error; nothing without one. The error of an action, which has no `onRetry`, is brought into view. */
export const ErrorNote = ({ error, onRetry }: { error: unknown; onRetry?: () => void }) => {
  const note = useRef<HTMLSpanElement>(null);
  const isOfAction = onRetry === undefined;
  useEffect(() => {
    if (isOfAction) note.current?.parentElement?.scrollIntoView({ block: "nearest" });
  }, [error, isOfAction]);
  return error === null ? null : (
    <FaultNote text={errorText(error)}>
      <span ref={note} hidden />
      {onRetry === undefined ? null : <Button text={en.common.retry} onClick={onRetry} />}
    </FaultNote>
  );
};

/** The error of a form's request, unless a field of the form shows it. */
export const FormError = ({ error }: { error: unknown }) => {
  const place = useRef<HTMLSpanElement>(null);
  const [isShownByField, setShownByField] = useState(false);
  useLayoutEffect(() => {
    const form = place.current?.closest("form");
    setShownByField(hasFieldErrors(error) && form?.querySelector('[aria-invalid="true"]') != null);
  }, [error]);
  return (
    <>
      <span ref={place} hidden />
      {isShownByField ? null : <ErrorNote error={error} />}
    </>
  );
};

/** Says that there is nothing, with the sign of the game. */
export const Empty = ({ children }: { children: ComponentChildren }) => (
  <div class="empty">
    <Crowd />
    <p class="muted">{children}</p>
  </div>
);

/** A notice that the page shows stale data, with its time. @param props.readAt milliseconds since 1970 */
export const StaleNote = ({ readAt }: { readAt: number }) => (
  <p class="offline" role="status">
    {en.common.offline(timeText(readAt, now.value ?? Date.now()))}
  </p>
);

/** A notice, while offline, of when the snapshot was last updated. */
export const OfflineNote = () =>
  isOffline.value && lastSyncedAt.value !== null ? <StaleNote readAt={lastSyncedAt.value} /> : null;

/** A notice, while requests wait because the service is busy. It appears after a second. */
export const BusyNote = () =>
  isBusy.value ? (
    <p class="busy" role="status">
      {en.common.busy}
    </p>
  ) : null;

/** A placeholder of grey lines for content that is loading. */
export const Skeleton = ({ rows = 5 }: { rows?: number }) => (
  <div class="skeleton" role="status" aria-label={en.common.loading}>
    {Array.from({ length: rows }, (_, row) => (
      <span key={row} />
    ))}
  </div>
);
