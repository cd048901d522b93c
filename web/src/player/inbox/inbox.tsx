/** The inbox: messages of game masters, and events that concern the player. */
import {
  Bell,
  Biohazard,
  Clock,
  HeartPulse,
  type IconNode,
  MapPin,
  Megaphone,
  Skull,
  Utensils,
} from "lucide";
import { useCallback, useEffect, useState } from "preact/hooks";
import { paths } from "../../paths.ts";
import { api, type Message, type State } from "../../state/api.ts";
import { usePages } from "../../state/resource.ts";
import { lastEvent, lastRead, markRead, now, unread } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { timeText } from "../../text/times.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { PagesList } from "../../ui/layout/pagesList.tsx";
import { Split } from "../../ui/layout/split.tsx";
import "./inbox.css";

type Kind = NonNullable<Message["kind"]>;

/** The icon of each kind of event. */
const KINDS: Record<Kind, { icon: IconNode; state?: State }> = {
  tagged: { icon: Biohazard, state: "zombie" },
  cured: { icon: HeartPulse, state: "human" },
  revived: { icon: HeartPulse, state: "human" },
  killed: { icon: Skull, state: "corpse" },
  fed: { icon: Utensils, state: "zombie" },
  starving: { icon: Clock, state: "zombie" },
  checkpoint: { icon: MapPin },
  missions: { icon: Megaphone },
  game: { icon: Bell },
};

/** The text of the link to each page that an event leads to. */
const linkText = (path: string): string =>
  ({
    [paths.tag]: en.me.tag,
    [paths.checkpoint]: en.checkpoint.title,
    [paths.missions]: en.nav.missions,
    [paths.feed]: en.nav.feed,
    [paths.gm.now]: en.nav.gm,
  })[path] ?? en.inbox.mine;

const LINK = /(https:\/\/[^\s<>"]+[^\s<>".,;:!?)])/;

/** A text with its URLs as links. */
const LinkedText = ({ text }: { text: string }) => (
  <p>
    {text.split(LINK).map((part, at) =>
      at % 2 === 0 ? (
        part
      ) : (
        <a key={part} href={part} target="_blank" rel="noopener noreferrer">
          {part}
        </a>
      ),
    )}
  </p>
);

const MessageRow = ({ message, isUnread, at }: { message: Message; isUnread: boolean; at: number }) => {
  const { title, content, sent_at, actor_picture_url, navigate } = message;
  const kind = message.kind === undefined ? undefined : KINDS[message.kind];
  return (
    <li class="message" data-unread={isUnread}>
      <span class="avatar" data-state={kind?.state} aria-hidden="true">
        {actor_picture_url === undefined ? (
          <Icon of={kind?.icon ?? Megaphone} size={20} />
        ) : (
          <img src={actor_picture_url} alt="" width={40} height={40} loading="lazy" />
        )}
      </span>
      <div class="grow">
        <h2>
          {title}
          {isUnread ? <span class="visually-hidden"> ({en.inbox.unread})</span> : null}
        </h2>
        <p class="muted">
          {kind === undefined ? `${en.inbox.sender} · ` : null}
          <time dateTime={sent_at}>{timeText(Date.parse(sent_at), at)}</time>
        </p>
        <LinkedText text={content} />
        {navigate === undefined ? null : (
          <ButtonLink text={linkText(navigate)} kind="small" href={navigate} />
        )}
      </div>
    </li>
  );
};

export const Inbox = () => {
  // Messages that were unread when the page was opened stay marked until it is closed.
  const [previouslyRead] = useState(lastRead);
  const read = useCallback(async (cursor?: string) => {
    const query = cursor === undefined ? {} : { cursor };
    const { notifications, next_cursor } = await api.get("/notifications/inbox/{url_id}", { query });
    const [newest] = notifications;
    if (cursor === undefined && newest !== undefined) markRead(newest.notification_id);
    return { items: notifications, next: next_cursor };
  }, []);
  const pages = usePages(read, "inbox");
  const news = `${lastEvent.value} ${unread.value > 0}`;
  useEffect(() => {
    if (!pages.isLoading) void pages.reload();
  }, [news]);
  const at = now.value ?? Date.now();
  return (
    <Split>
      <h1>{en.inbox.title}</h1>
      <PagesList pages={pages} empty={en.inbox.empty}>
        {(message) => (
          <MessageRow
            key={message.notification_id}
            message={message}
            isUnread={previouslyRead === null || message.notification_id > previouslyRead}
            at={at}
          />
        )}
      </PagesList>
    </Split>
  );
};
