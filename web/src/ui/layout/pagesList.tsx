/** A paginated list with its loading, empty, error and stale states. */
import type { ComponentChildren } from "preact";
import type { usePages } from "../../state/resource.ts";
import { isOffline } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Button } from "../button.tsx";
import { Empty, ErrorNote, Skeleton, StaleNote } from "../feedback.tsx";

interface PagesListProps<T> {
  pages: ReturnType<typeof usePages<T>>;
  empty: string;
  children: (item: T) => ComponentChildren;
}

export const PagesList = <T,>({ pages, empty, children }: PagesListProps<T>) => {
  const { items, error, isLoading, reload, loadMore, isStale, readAt } = pages;
  if (items.length === 0) {
    if (isLoading) return <Skeleton />;
    return error === null ? <Empty>{empty}</Empty> : <ErrorNote error={error} onRetry={reload} />;
  }
  return (
    <>
      {isStale || isOffline.value ? <StaleNote readAt={readAt} /> : null}
      <ul class="list">{items.map(children)}</ul>
      <ErrorNote error={error} onRetry={loadMore ?? reload} />
      {loadMore === undefined ? null : <Button text={en.feed.more} disabled={isLoading} onClick={loadMore} />}
    </>
  );
};
