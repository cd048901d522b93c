/** Routes and navigation of the staff pages, which are a separate bundle that players never load. */
import {
  Activity,
  ClipboardCheck,
  Flag,
  Gavel,
  Monitor,
  Printer,
  ScrollText,
  Search,
  SendHorizontal,
  Settings2,
  Terminal,
  Undo2,
  Users,
} from "lucide";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { startPolling } from "../state/session.ts";
import { gm } from "../text/staff.ts";
import { OfflineNote } from "../ui/feedback.tsx";
import { Guarded } from "../ui/layout/guarded.tsx";
import { Nav, type PageLink } from "../ui/layout/nav.tsx";
import { type CommandPath, may, type ReadPath } from "./calls.ts";
import { Game } from "./game/game/game.tsx";
import { CheckpointPage } from "./live/checkpoint/checkpoint.tsx";
import { Desk } from "./live/desk/desk.tsx";
import { Disputes } from "./live/disputes/disputes.tsx";
import { Now } from "./live/now/now.tsx";
import { Send } from "./live/send/send.tsx";
import { Find } from "./people/find/find.tsx";
import { PlayerPage } from "./people/player/player.tsx";
import { Players } from "./people/players/players.tsx";
import { Shortcuts } from "./tools/keyboard/shortcuts.tsx";
import { Log } from "./tools/log/log.tsx";
import { Print } from "./tools/print/print.tsx";
import { Sql } from "./tools/sql/sql.tsx";
import { Confirmations } from "./ui/confirmation.tsx";
import "./gm.css";

interface GmPage extends PageLink {
  /** The keyboard shortcut: this letter after `g`. */
  letter: string;
  /** The endpoint that a role must be allowed to call to see the page. */
  needs: ReadPath | CommandPath;
  /** Whether it is in the bottom bar on phones. */
  isPrimary?: boolean;
  Page: ComponentType;
}

const PAGES: readonly GmPage[] = [
  {
    path: "/app/gm/now",
    text: gm.nav.now,
    letter: "n",
    icon: Activity,
    needs: "/admin/find/{url_id}",
    isPrimary: true,
    Page: Now,
  },
  {
    path: "/app/gm/find",
    text: gm.nav.find,
    letter: "f",
    icon: Search,
    needs: "/admin/find/{url_id}",
    isPrimary: true,
    Page: Find,
  },
  {
    path: "/app/gm/desk",
    text: gm.nav.desk,
    letter: "d",
    icon: ClipboardCheck,
    needs: "/admin/player_at_checkpoint/{url_id}",
    isPrimary: true,
    Page: Desk,
  },
  {
    path: "/app/gm/disputes",
    text: gm.nav.disputes,
    letter: "u",
    icon: Gavel,
    needs: "/admin/disputes/{url_id}",
    isPrimary: true,
    Page: Disputes,
  },
  {
    path: "/app/gm/game",
    text: gm.nav.game,
    letter: "g",
    icon: Settings2,
    needs: "/admin/settings/{url_id}",
    Page: Game,
  },
  {
    path: "/app/gm/checkpoint",
    text: gm.nav.checkpoint,
    letter: "c",
    icon: Flag,
    needs: "/admin/set_checkpoint/{url_id}",
    Page: CheckpointPage,
  },
  {
    path: "/app/gm/send",
    text: gm.nav.send,
    letter: "s",
    icon: SendHorizontal,
    needs: "/notifications/send/{url_id}",
    Page: Send,
  },
  {
    path: "/app/gm/players",
    text: gm.nav.players,
    icon: Users,
    letter: "p",
    needs: "/admin/get_players/{url_id}",
    Page: Players,
  },
  {
    path: "/app/gm/log",
    text: gm.nav.log,
    icon: ScrollText,
    letter: "l",
    needs: "/admin/get_logs/{url_id}",
    Page: Log,
  },
  {
    path: "/app/gm/print",
    text: gm.nav.print,
    icon: Printer,
    letter: "i",
    needs: "/admin/settings/{url_id}",
    Page: Print,
  },
  {
    path: "/app/gm/sql",
    text: gm.nav.sql,
    icon: Terminal,
    letter: "q",
    needs: "/admin/inject_sql/{url_id}",
    Page: Sql,
  },
];

const PLAYER_PREFIX = "/app/gm/players/";

const SCREEN: PageLink = { path: "/app/screen", text: gm.nav.screen, icon: Monitor };
/** The link back to the player's own pages. */
const OWN_PAGES: PageLink = { path: "/app/me", text: gm.nav.own, icon: Undo2 };

const Frame = ({ children }: { children: ComponentChildren }) => {
  const allowed = PAGES.filter(({ needs }) => may(needs));
  return (
    <div class="frame gm">
      <Nav
        label={gm.nav.label}
        primary={allowed.filter(({ isPrimary }) => isPrimary)}
        more={[...allowed.filter(({ isPrimary }) => !isPrimary), SCREEN, OWN_PAGES]}
      />
      <div>
        <OfflineNote />
        {children}
      </div>
      <Confirmations />
      <Shortcuts pages={allowed} />
    </div>
  );
};

const pageAt = (path: string): ComponentType => {
  if (path.startsWith(PLAYER_PREFIX)) return PlayerPage;
  const page = PAGES.find((one) => one.path === path);
  return page === undefined || !may(page.needs) ? Now : page.Page;
};

export const Gm = () => {
  const { path } = useLocation();
  useEffect(startPolling, []);
  const Page = pageAt(path);
  return (
    <Frame>
      <Guarded>
        <Page />
      </Guarded>
    </Frame>
  );
};
