/** The public feed of game events, newest first. */
import { useCallback, useEffect } from "preact/hooks";
import { api } from "../../state/api.ts";
import { usePages } from "../../state/resource.ts";
import { lastEvent, now } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { EventRow, latestFirst } from "../../ui/event.tsx";
import { PagesList } from "../../ui/layout/pagesList.tsx";
import { Split } from "../../ui/layout/split.tsx";

const PAGE_SIZE = 30;

export const Feed = () => {
  const read = useCallback(async (cursor?: string) => {
    const query = { limit: PAGE_SIZE, ...(cursor === undefined ? {} : { cursor }) };
    const { interactions, next_cursor } = await api.get("/interactions/{url_id}", { query });
    return { items: interactions, next: next_cursor };
  }, []);
  const pages = usePages(read, "feed");
  const newest = lastEvent.value;
  // Reload only while the first page is shown, because a reload resets the list.
  useEffect(() => {
    if (newest !== null && pages.items.length > 0 && pages.items.length <= PAGE_SIZE) void pages.reload();
  }, [newest]);
  const at = now.value ?? Date.now();
  return (
    <Split>
      <h1>{en.feed.title}</h1>
      <PagesList pages={{ ...pages, items: latestFirst(pages.items) }} empty={en.feed.empty}>
        {(event) => <EventRow key={event.interaction_id} event={event} at={at} />}
      </PagesList>
    </Split>
  );
};
