/** The place of a value that is being read. */
import { ErrorNote, Skeleton } from "../../ui/feedback.tsx";

interface LoadingProps {
  of: { value: unknown; error: unknown; reload: () => void };
  rows?: number;
}

/** Grey lines until the value is there, and the error with a button to read again. */
export const Loading = ({ of: { value, error, reload }, rows }: LoadingProps) => (
  <>
    <ErrorNote error={error} onRetry={reload} />
    {value === null && error === null ? <Skeleton {...(rows === undefined ? {} : { rows })} /> : null}
  </>
);
