/** The pages of those who run the game. They are a script of their own, which players never load. */
import { Activity, ClipboardCheck, Flag, Gavel, Search, SendHorizontal, Settings2, Undo2 } from "lucide";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { en } from "../en.ts";
import { isOffline, poll } from "../session.ts";
import { Nav, type PageLink } from "../ui/nav.tsx";
import { type CommandPath, may, type ReadPath } from "./calls.ts";
import { CheckpointPage } from "./checkpoint.tsx";
import { Desk } from "./desk.tsx";
import { Disputes } from "./disputes.tsx";
import { Find } from "./find.tsx";
import { Game } from "./game.tsx";
import { Now } from "./now.tsx";
import { Plans } from "./plan.tsx";
import { PlayerPage } from "./player.tsx";
import { Send } from "./send.tsx";
import { gm } from "./texts.ts";
import "./gm.css";

interface GmPage extends PageLink {
  /** The call without which the page is of no use. */
  needs: ReadPath | CommandPath;
  /** Whether a phone shows it in its bar. */
  isFirst?: boolean;
  Page: ComponentType;
}

const PAGES: readonly GmPage[] = [
  {
    path: "/app/gm/now",
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
  {
    path: "/app/gm/desk",
    text: gm.nav.desk,
    icon: ClipboardCheck,
    needs: "/admin/player_at_checkpoint/{url_id}",
    isFirst: true,
    Page: Desk,
  },
  {
    path: "/app/gm/disputes",
    text: gm.nav.disputes,
    icon: Gavel,
    needs: "/admin/disputes/{url_id}",
    isFirst: true,
    Page: Disputes,
  },
  {
    path: "/app/gm/game",
    text: gm.nav.game,
    icon: Settings2,
    needs: "/admin/settings/{url_id}",
    Page: Game,
  },
  {
    path: "/app/gm/checkpoint",
    text: gm.nav.checkpoint,
    icon: Flag,
    needs: "/admin/set_checkpoint/{url_id}",
    Page: CheckpointPage,
  },
  {
    path: "/app/gm/send",
    text: gm.nav.send,
    icon: SendHorizontal,
    needs: "/notifications/send/{url_id}",
    Page: Send,
  },
];

const PLAYER = "/app/gm/players/";

/** The player's own pages. */
const OWN: PageLink = { path: "/app/me", text: gm.nav.own, icon: Undo2 };

const Frame = ({ children }: { children: ComponentChildren }) => {
  const allowed = PAGES.filter(({ needs }) => may(needs));
  return (
    <div class="frame gm">
      <Nav
        label={gm.nav.label}
        first={allowed.filter(({ isFirst }) => isFirst)}
        more={[...allowed.filter(({ isFirst }) => !isFirst), OWN]}
      />
      <div>
        {isOffline.value ? <p class="offline">{en.common.offline}</p> : null}
        {children}
      </div>
      <Plans />
    </div>
  );
};

const pageAt = (path: string): ComponentType => {
  if (path.startsWith(PLAYER)) return PlayerPage;
  const page = PAGES.find((one) => one.path === path);
  return page === undefined || !may(page.needs) ? Now : page.Page;
};

export const Gm = () => {
  const { path } = useLocation();
  useEffect(poll, []);
  const Page = pageAt(path);
  return (
    <Frame>
      <Page />
    </Frame>
  );
};
