/** The pages of those who run the game. They are a script of their own, which players never load. */
import { Activity, Ellipsis, type IconNode, Search, Undo2 } from "lucide";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { en } from "../en.ts";
import { isOffline, poll, snapshot } from "../session.ts";
import { Skeleton } from "../ui/feedback.tsx";
import { Icon } from "../ui/icon.tsx";
import { type CommandPath, may, type ReadPath } from "./calls.ts";
import { Find } from "./find.tsx";
import { Now } from "./now.tsx";
import { Plans } from "./plan.tsx";
import { PlayerPage } from "./player.tsx";
import { gm } from "./texts.ts";
import "./gm.css";

interface GmPage {
  path: string;
  text: string;
  icon: IconNode;
  /** The call without which the page is of no use. */
  needs: ReadPath | CommandPath;
  /** Whether a phone shows it in its bar. */
  isFirst?: boolean;
  /** With `Alt` and this letter it opens. */
  Page: ComponentType;
}

export const PAGES: readonly GmPage[] = [
  {
    path: "/app/gm",
    text: gm.nav.now,
    icon: Activity,
    needs: "/admin/find/{url_id}",
    isFirst: true,
    Page: Now,
  },
  {
    path: "/app/gm/find",
    text: gm.nav.find,
    icon: Search,
    needs: "/admin/find/{url_id}",
    isFirst: true,
    Page: Find,
  },
];

const MORE = "/app/gm/more";
const PLAYER = "/app/gm/players/";

const More = () => (
  <main class="page stack">
    <h1>{gm.nav.more}</h1>
    <ul class="list">
      {PAGES.filter(({ needs }) => may(needs)).map(({ path, text, icon }) => (
        <li key={path}>
          <a class="row more-row" href={path}>
            <Icon of={icon} />
            {text}
          </a>
        </li>
      ))}
      <li>
        <a class="row more-row" href="/app/me">
          <Icon of={Undo2} />
          {gm.nav.own}
        </a>
      </li>
    </ul>
  </main>
);

const Frame = ({ path, children }: { path: string; children: ComponentChildren }) => {
  const linkTo = (to: string, text: string, icon: IconNode, isFirst = false) => (
    <a key={to} href={to} aria-current={path === to ? "page" : undefined} data-first={isFirst}>
      <Icon of={icon} />
      {text}
    </a>
  );
  return (
    <div class="frame gm">
      <nav class="nav" aria-label={gm.nav.label}>
        {PAGES.filter(({ needs }) => may(needs)).map(({ path: to, text, icon, isFirst }) =>
          linkTo(to, text, icon, isFirst),
        )}
        {linkTo(MORE, gm.nav.more, Ellipsis, true)}
        {linkTo("/app/me", gm.nav.own, Undo2)}
      </nav>
      <div>
        {isOffline.value ? <p class="offline">{en.common.offline}</p> : null}
        {children}
      </div>
      <Plans />
    </div>
  );
};

/** Also for somebody whose role was taken away while the page was open. */
const Lost = () => (
  <main class="page stack">
    <h1>{gm.role.lost}</h1>
    <p class="muted">{gm.role.lostText}</p>
    <a class="button" href="/app/me">
      {gm.role.back}
    </a>
  </main>
);

const pageAt = (path: string): ComponentType => {
  if (path.startsWith(PLAYER)) return PlayerPage;
  if (path === MORE) return More;
  const page = PAGES.find((one) => one.path === path) ?? PAGES[0];
  return page === undefined || !may(page.needs) ? Lost : page.Page;
};

export const Gm = () => {
  const { path } = useLocation();
  useEffect(poll, []);
  const role = snapshot.value?.player.role;
  if (role === undefined) return <Skeleton />;
  if (role === "player") return <Lost />;
  const Page = pageAt(path);
  return (
    <Frame path={path}>
      <Page />
    </Frame>
  );
};
