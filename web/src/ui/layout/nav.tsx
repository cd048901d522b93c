/** The navigation: a bottom bar with a "More" sheet on phones, a sidebar on wide screens. */
import { Ellipsis, type IconNode } from "lucide";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { paths } from "../../paths.ts";
import { unread } from "../../state/session.ts";
import { en } from "../../text/en.ts";
import { Icon } from "../icon.tsx";
import "./nav.css";

export interface PageLink {
  path: string;
  text: string;
  icon: IconNode;
}

interface NavProps {
  label: string;
  /** At most four pages for the bottom bar. */
  primary: readonly PageLink[];
  more: readonly PageLink[];
  /** All pages by group, in place of both on a wide screen, and in the sheet. */
  groups?: readonly (readonly [title: string, links: readonly PageLink[]])[];
}

export const Nav = ({ label, primary, more, groups }: NavProps) => {
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
    <nav class="nav" aria-label={label} data-grouped={groups !== undefined}>
      {primary.map(link)}
      <button
        type="button"
        popovertarget="more-pages"
        data-current={!primary.some(({ path: href }) => isCurrent(href, path))}
      >
        <Icon of={Ellipsis} />
        {en.nav.more}
        {more.some(({ path: href }) => href === paths.inbox) ? unreadBadge : null}
      </button>
      <div id="more-pages" class="nav-more" popover="auto" ref={sheet}>
        {groups?.map(([title, links]) => (
          <section key={title} class="nav-group" aria-label={title}>
            <p>{title}</p>
            {links.map(link)}
          </section>
        ))}
        {more.map(link)}
      </div>
    </nav>
  );
};

/** Whether a link leads to the current page or to one of its parents. */
const isCurrent = (href: string, path: string): boolean => path === href || path.startsWith(`${href}/`);
