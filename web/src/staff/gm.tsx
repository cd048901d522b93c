/** Routes and navigation of the staff pages, which are a separate bundle that players never load. */
import {
  Activity,
  BookOpen,
  ClipboardCheck,
  Flag,
  Gavel,
  type IconNode,
  Inbox,
  ListChecks,
  Mail,
  MailPlus,
  Map as MapIcon,
  Monitor,
  Printer,
  ScrollText,
  Search,
  SendHorizontal,
  Settings2,
  Terminal,
  Ticket,
  Undo2,
  Upload,
  Users,
  Webhook,
} from "lucide";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type GmPageName, paths } from "../paths.ts";
import { startPolling } from "../state/session.ts";
import { en } from "../text/en.ts";
import { gm } from "../text/staff.ts";
import { OfflineNote } from "../ui/feedback.tsx";
import { Guarded } from "../ui/layout/guarded.tsx";
import { loadedOnDemand } from "../ui/layout/loadedOnDemand.tsx";
import { Nav, type PageLink } from "../ui/layout/nav.tsx";
import { type Action, may, sendsMail, storesMail } from "./calls.ts";
import { Codes } from "./game/codes/codes.tsx";
import { Missions } from "./game/missions/missions.tsx";
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
import { Confirmations } from "./ui/confirmation.tsx";
import "./gm.css";

/** A page that is seldom opened, and loaded then. */
const rare = (page: keyof typeof import("./gm-rare.ts")): ComponentType =>
  loadedOnDemand(() => import("./gm-rare.ts").then((pages) => pages[page]));

interface GmPage {
  icon: IconNode;
  /** The keyboard shortcut: this letter after `g`. */
  letter: string;
  /** The endpoint that a role must be allowed to call to see the page. */
  needs: Action;
  group: keyof typeof gm.nav.groups;
  /** Whether the navigation has the page; always, if absent. */
  isOffered?: () => boolean;
  /** Whether it is in the bottom bar on phones. */
  isPrimary?: boolean;
  Page: ComponentType;
}

/** The pages, in the order of the navigation. */
const PAGES: Readonly<Record<GmPageName, GmPage>> = {
  now: { icon: Activity, letter: "n", needs: "find", group: "live", isPrimary: true, Page: Now },
  desk: {
    icon: ClipboardCheck,
    letter: "d",
    needs: "player_at_checkpoint",
    group: "live",
    isPrimary: true,
    Page: Desk,
  },
  disputes: {
    icon: Gavel,
    letter: "u",
    needs: "disputes",
    group: "live",
    isPrimary: true,
    Page: Disputes,
  },
  send: { icon: SendHorizontal, letter: "s", needs: "send", group: "live", Page: Send },
  find: { icon: Search, letter: "f", needs: "find", group: "people", isPrimary: true, Page: Find },
  players: { icon: Users, letter: "p", needs: "get_players", group: "people", Page: Players },
  readiness: {
    icon: ListChecks,
    letter: "r",
    needs: "readiness",
    group: "people",
    Page: rare("ReadinessPage"),
  },
  game: { icon: Settings2, letter: "g", needs: "settings", group: "game", Page: rare("Game") },
  missions: { icon: MapIcon, letter: "o", needs: "set_mission", group: "game", Page: Missions },
  checkpoint: { icon: Flag, letter: "c", needs: "set_checkpoint", group: "game", Page: CheckpointPage },
  codes: { icon: Ticket, letter: "k", needs: "codes", group: "game", Page: Codes },
  log: { icon: ScrollText, letter: "l", needs: "get_logs", group: "tools", Page: Log },
  print: { icon: Printer, letter: "i", needs: "settings", group: "tools", Page: rare("Print") },
  import: { icon: Upload, letter: "m", needs: "import_players", group: "tools", Page: rare("Import") },
  invitations: {
    icon: MailPlus,
    letter: "v",
    needs: "send_invitations",
    group: "people",
    isOffered: sendsMail,
    Page: rare("Invitations"),
  },
  webhooks: { icon: Webhook, letter: "w", needs: "settings", group: "tools", Page: rare("Webhooks") },
  mail: {
    icon: Mail,
    letter: "e",
    needs: "mail",
    group: "tools",
    isOffered: sendsMail,
    Page: rare("MailPage"),
  },
  outbox: {
    icon: Inbox,
    letter: "x",
    needs: "mail",
    group: "tools",
    isOffered: storesMail,
    Page: rare("OutboxPage"),
  },
  sql: { icon: Terminal, letter: "q", needs: "inject_sql", group: "tools", Page: rare("Sql") },
};
const PAGE_NAMES = Object.keys(PAGES).filter((name): name is GmPageName => name in PAGES);

const Frame = ({ children }: { children: ComponentChildren }) => {
  const isOffered = ({ needs, isOffered: also }: GmPage) => may(needs) && also?.() !== false;
  const allowed = PAGE_NAMES.filter((name) => isOffered(PAGES[name])).map((name) => ({
    ...PAGES[name],
    path: paths.gm[name],
    text: gm.nav[name],
  }));
  const rules: PageLink = { path: paths.rules, text: en.nav.rules, icon: BookOpen };
  const screen: PageLink = { path: paths.screen, text: gm.nav.screen, icon: Monitor };
  /** The link back to the player's own pages. */
  const ownPages: PageLink = { path: paths.me, text: gm.nav.own, icon: Undo2 };
  /** Pages for everybody, in their groups. */
  const others: Readonly<Record<string, PageLink[]>> = { live: [screen], game: [rules] };
  return (
    <div class="frame gm">
      <Nav
        label={gm.nav.label}
        primary={allowed.filter(({ isPrimary }) => isPrimary)}
        more={[ownPages]}
        groups={Object.entries(gm.nav.groups)
          .map(([group, title]): [string, PageLink[]] => [
            title,
            [...allowed.filter((page) => page.group === group), ...(others[group] ?? [])],
          ])
          .filter(([, links]) => links.length > 0)}
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
  if (path.startsWith(paths.gm.player(""))) return PlayerPage;
  const name = PAGE_NAMES.find((one) => path === paths.gm[one] || path.startsWith(`${paths.gm[one]}/`));
  return name === undefined || !may(PAGES[name].needs) ? Now : PAGES[name].Page;
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
