/** The messages of game masters. */
import { useCallback } from "preact/hooks";
import { api } from "../api.ts";
import { en } from "../en.ts";
import { usePages } from "../resource.ts";
import { now } from "../session.ts";
import { timeText } from "../times.ts";
import { PagesList } from "../ui/pagesList.tsx";
import "./inbox.css";

export const Inbox = () => {
  const read = useCallback(async (cursor?: string) => {
    const query = cursor === undefined ? {} : { cursor };
    const { notifications, next_cursor } = await api.get("/notifications/inbox/{url_id}", { query });
    return { items: notifications, next: next_cursor };
  }, []);
  const pages = usePages(read);
  const at = now.value ?? Date.now();
  return (
    <main class="page stack">
      <h1>{en.inbox.title}</h1>
      <PagesList pages={pages} empty={en.inbox.empty}>
        {({ notification_id, title, content, sent_at }) => (
          <li key={notification_id} class="message">
            <h2>{title}</h2>
            <time class="muted" dateTime={sent_at}>
              {timeText(Date.parse(sent_at), at)}
            </time>
            <p>{content}</p>
          </li>
        )}
      </PagesList>
    </main>
  );
};
