/** The navigation: a bottom bar with a "More" sheet on phones, a sidebar on wide screens. */
import {
  Biohazard,
  ClipboardList,
  Crosshair,
  Ellipsis,
  type IconNode,
  Inbox,
  MapPin,
  Network,
  Rss,
  Trophy,
  User,
  Users,
} from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { snapshot, unread } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Icon } from "../icon.tsx";
import "./nav.css";

export interface PageLink {
  path: string;
  text: string;
  icon: IconNode;
}

/** The pages in the bottom bar, beside the "More" button. */
const PRIMARY_PAGES: readonly PageLink[] = [
  { path: "/app/me", text: en.nav.me, icon: Biohazard },
  { path: "/app/tag", text: en.nav.tag, icon: Crosshair },
  { path: "/app/outbreak", text: en.nav.outbreak, icon: Network },
  { path: "/app/feed", text: en.nav.feed, icon: Rss },
];

const INBOX = "/app/inbox";

const MORE_PAGES: readonly PageLink[] = [
  { path: INBOX, text: en.nav.inbox, icon: Inbox },
  { path: "/app/board", text: en.nav.board, icon: Trophy },
  { path: "/app/players", text: en.nav.players, icon: Users },
  { path: "/app/checkpoint", text: en.nav.checkpoint, icon: MapPin },
  { path: "/app/profile", text: en.nav.profile, icon: User },
];

/** The link to the game masters' and moderators' pages. */
const STAFF_PAGE: PageLink = { path: "/app/gm/now", text: en.nav.gm, icon: ClipboardList };

interface NavProps {
  label: string;
  /** At most four pages for the bottom bar. */
  primary: readonly PageLink[];
  more: readonly PageLink[];
}

export const Nav = ({ label, primary, more }: NavProps) => {
  const { path } = useLocation();
  const sheet = useRef<HTMLDivElement>(null);
  // On a wide screen the sheet is part of the sidebar, and hiding it has no effect.
  useEffect(() => sheet.current?.hidePopover(), [path]);
  const unreadBadge = unread.value === 0 ? null : <span class="nav-news">{en.nav.unread(unread.value)}</span>;
  const link = ({ path: href, text, icon }: PageLink) => (
    <a key={href} href={href} aria-current={isCurrent(href, path) ? "page" : undefined}>
      <Icon of={icon} />
      {text}
      {href === INBOX ? unreadBadge : null}
    </a>
  );
  return (
    <nav class="nav" aria-label={label}>
      {primary.map(link)}
      <button
        type="button"
        popovertarget="more-pages"
        data-current={more.some(({ path: href }) => isCurrent(href, path))}
      >
        <Icon of={Ellipsis} />
        {en.nav.more}
        {more.some(({ path: href }) => href === INBOX) ? unreadBadge : null}
      </button>
      <div id="more-pages" class="nav-more" popover="auto" ref={sheet}>
        {more.map(link)}
      </div>
    </nav>
  );
};

export const PlayerNav = () => {
  const isPlayer = snapshot.value?.player.role === "player";
  return (
    <Nav
      label={en.nav.label}
      primary={PRIMARY_PAGES}
      more={isPlayer ? MORE_PAGES : [STAFF_PAGE, ...MORE_PAGES]}
    />
  );
};

/** Whether a link leads to the current page or to one of its parents. */
const isCurrent = (href: string, path: string): boolean => path === href || path.startsWith(`${href}/`);
