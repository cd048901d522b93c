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
import { paths } from "../../paths.ts";
import { snapshot, unread } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Icon } from "../icon.tsx";
import "./nav.css";

export interface PageLink {
  path: string;
  text: string;
  icon: IconNode;
}

type PlayerPage = Exclude<Extract<keyof typeof paths, keyof typeof en.nav>, "gm">;

/** The pages in the bottom bar, beside the "More" button. */
const PRIMARY_PAGES: readonly (readonly [PlayerPage, IconNode])[] = [
  ["me", Biohazard],
  ["tag", Crosshair],
  ["outbreak", Network],
  ["feed", Rss],
];

const MORE_PAGES: typeof PRIMARY_PAGES = [
  ["inbox", Inbox],
  ["board", Trophy],
  ["players", Users],
  ["checkpoint", MapPin],
  ["profile", User],
];

const linksTo = (pages: typeof PRIMARY_PAGES): PageLink[] =>
  pages.map(([name, icon]) => ({ path: paths[name], text: en.nav[name], icon }));

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
      {href === paths.inbox ? unreadBadge : null}
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
        {more.some(({ path: href }) => href === paths.inbox) ? unreadBadge : null}
      </button>
      <div id="more-pages" class="nav-more" popover="auto" ref={sheet}>
        {more.map(link)}
      </div>
    </nav>
  );
};

export const PlayerNav = () => {
  const isPlayer = snapshot.value?.player.role === "player";
  /** The link to the game masters' and moderators' pages. */
  const staff: PageLink = { path: paths.gm.now, text: en.nav.gm, icon: ClipboardList };
  const more = linksTo(MORE_PAGES);
  return (
    <Nav label={en.nav.label} primary={linksTo(PRIMARY_PAGES)} more={isPlayer ? more : [staff, ...more]} />
  );
};

/** Whether a link leads to the current page or to one of its parents. */
const isCurrent = (href: string, path: string): boolean => path === href || path.startsWith(`${href}/`);
