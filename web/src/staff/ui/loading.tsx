/** The place of a value that is being read. */
import { ErrorNote, Skeleton } from "../../ui/feedback.tsx";

interface Reading {
  error: unknown;
  reload: () => void;
}

interface LoadingProps {
  of: Reading & { value: unknown };
  rows?: number;
}

/** The error of what a part of the page reads, with a button that reads again what has failed. */
export const ReadError = ({ of }: { of: readonly Reading[] }) => {
  const failed = of.filter(({ error }) => error !== null);
  const retry = (): void => {
    for (const { reload } of failed) reload();
  };
  return <ErrorNote error={failed[0]?.error ?? null} onRetry={retry} />;
};

/** Grey lines until the value is there, and the error with a button to read again. */
export const Loading = ({ of: { value, error, reload }, rows }: LoadingProps) => (
  <>
    <ErrorNote error={error} onRetry={reload} />
    {value === null && error === null ? <Skeleton {...(rows === undefined ? {} : { rows })} /> : null}
  </>
);
