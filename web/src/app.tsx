/** The routes of all pages, and the layout and the navigation of players' pages. */
import {
  Biohazard,
  BookOpen,
  ClipboardList,
  Crosshair,
  Flag,
  History,
  type IconNode,
  Inbox as InboxIcon,
  MapPin,
  Network,
  Rss,
  Trophy,
  User,
  Users,
} from "lucide";
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { LocationProvider, Route, Router, useLocation } from "preact-iso";
import { paths } from "./paths.ts";
import { Board } from "./player/board/board.tsx";
import { CheckpointPage } from "./player/checkpoint/checkpoint.tsx";
import { Join, Login, Recover } from "./player/enter/enter.tsx";
import { Feed } from "./player/feed/feed.tsx";
import { Landing } from "./player/landing/landing.tsx";
import { NotFound } from "./player/landing/notFound.tsx";
import { Me } from "./player/me/me.tsx";
import { Tag } from "./player/tag/tag.tsx";
import { GameError } from "./state/api.ts";
import { followMissions, useMissions } from "./state/missions.ts";
import { askForSeasons, hasSeasons } from "./state/seasons.ts";
import { isOffline, restoreSession, sessionState, snapshot, startPolling } from "./state/session.ts";
import { turnedInto } from "./state/turned.ts";
import { en } from "./text/en.ts";
import { ButtonLink } from "./ui/button.tsx";
import { BusyNote, ErrorNote, Skeleton } from "./ui/feedback.tsx";
import { Guarded } from "./ui/layout/guarded.tsx";
import { loadedOnDemand } from "./ui/layout/loadedOnDemand.tsx";
import { Nav, type PageLink } from "./ui/layout/nav.tsx";
import { prepared } from "./ui/layout/prepared.tsx";
import "./app.css";

type PlayerPage = Exclude<Extract<keyof typeof paths, keyof typeof en.nav>, "gm">;

/** The pages in the bottom bar, beside the "More" button. */
const PRIMARY_PAGES: readonly (readonly [PlayerPage, IconNode])[] = [
  ["me", Biohazard],
  ["tag", Crosshair],
  ["outbreak", Network],
  ["feed", Rss],
];

const MORE_PAGES: typeof PRIMARY_PAGES = [
  ["inbox", InboxIcon],
  ["board", Trophy],
  ["players", Users],
  ["checkpoint", MapPin],
  ["rules", BookOpen],
];

/** The last page, to which the layout gives a place of its own. */
const PROFILE: typeof PRIMARY_PAGES = [["profile", User]];

/** The page of missions, for those who may know of one. */
const MISSIONS: typeof PRIMARY_PAGES = [["missions", Flag]];

/** The page of past seasons, where there are any. */
const SEASONS: typeof PRIMARY_PAGES = [["seasons", History]];

const linksTo = (pages: typeof PRIMARY_PAGES): PageLink[] =>
  pages.map(([name, icon]) => ({ path: paths[name], text: en.nav[name], icon }));

const Turning = prepared(() => import("./player/turning/turning.tsx").then(({ Turning }) => Turning));

const Frame = ({ children }: { children: ComponentChildren }) => {
  useEffect(startPolling, []);
  useEffect(followMissions, []);
  useEffect(askForSeasons, []);
  const player = snapshot.value?.player;
  const missions = useMissions().length === 0 ? [] : linksTo(MISSIONS);
  const seasons = hasSeasons.value ? linksTo(SEASONS) : [];
  /** The link to the game masters' and moderators' pages. */
  const staff: PageLink = { path: paths.gm.now, text: en.nav.gm, icon: ClipboardList };
  return (
    <div class="frame">
      <Nav
        label={en.nav.label}
        primary={linksTo(PRIMARY_PAGES)}
        more={[
          ...(player?.role === "player" ? [] : [staff]),
          ...missions,
          ...linksTo(MORE_PAGES),
          ...seasons,
          ...linksTo(PROFILE),
        ]}
      />
      {children}
      {player?.state === "human" || turnedInto.value !== null ? (
        <Turning due={turnedInto.value !== null} />
      ) : null}
    </div>
  );
};

/** Its code, which is the default, has the text. */
const UNREACHABLE = new GameError("", {});

/** Shown while it is unknown whether there is a session: what was stored of it is unusable, and the service is asked. */
const Restoring = () => {
  useEffect(startPolling, []);
  return isOffline.value ? (
    <main class="page">
      <ErrorNote error={UNREACHABLE} onRetry={() => void restoreSession()} />
    </main>
  ) : (
    <Skeleton />
  );
};

/** Wraps a page that requires a session. Anonymous users are redirected to the login page and back afterwards. */
const requireSession =
  (Page: ComponentType, Layout: ComponentType<{ children: ComponentChildren }> = Frame) =>
  () => {
    const { url, route } = useLocation();
    const state = sessionState.value;
    useEffect(() => {
      // What stands behind # is for the page alone, and goes along.
      if (state === "anonymous") route(paths.loginBefore(url) + location.hash, true);
    }, [state]);
    if (state !== "active") return <Restoring />;
    return (
      <Layout>
        <Guarded>
          <Page />
        </Guarded>
      </Layout>
    );
  };

/** Shows a notice to players without a staff role, who do not load the staff pages' script. */
const StaffOnly = ({ children }: { children: ComponentChildren }) =>
  snapshot.value?.player.role === "player" ? (
    <Frame>
      <main class="page stack">
        <h1>{en.staff.title}</h1>
        <p class="muted">{en.staff.text(snapshot.value.player.alias)}</p>
        <ButtonLink text={en.staff.back} href={paths.me} />
      </main>
    </Frame>
  ) : (
    children
  );

/** A page without a session. */
const open = (Page: ComponentType) => () => (
  <Guarded>
    <Page />
  </Guarded>
);

/** The pages whose scripts are loaded on first use. */
const [
  SetUp,
  Confirm,
  Unsubscribe,
  Forgotten,
  Rules,
  Waiver,
  Missions,
  Inbox,
  Profile,
  Outbreak,
  Players,
  OnePlayer,
  Seasons,
  OneSeason,
  Gm,
  Screen,
] = [
  loadedOnDemand(() => import("./player/enter/setUp.tsx").then(({ SetUp }) => SetUp)),
  loadedOnDemand(() => import("./player/enter/mailLink.tsx").then(({ Confirm }) => Confirm)),
  loadedOnDemand(() => import("./player/enter/mailLink.tsx").then(({ Unsubscribe }) => Unsubscribe)),
  loadedOnDemand(() => import("./player/enter/forgotten.tsx").then(({ Forgotten }) => Forgotten)),
  loadedOnDemand(() => import("./player/rules/rules.tsx").then(({ Rules }) => Rules)),
  loadedOnDemand(() => import("./player/waiver/waiver.tsx").then(({ Waiver }) => Waiver)),
  loadedOnDemand(() => import("./player/missions/missions.tsx").then(({ Missions }) => Missions)),
  loadedOnDemand(() => import("./player/inbox/inbox.tsx").then(({ Inbox }) => Inbox)),
  loadedOnDemand(() => import("./player/profile/profile.tsx").then(({ Profile }) => Profile)),
  loadedOnDemand(() => import("./player/outbreak/outbreak.tsx").then(({ Outbreak }) => Outbreak)),
  loadedOnDemand(() => import("./player/players/players.tsx").then(({ Players }) => Players)),
  loadedOnDemand(() => import("./player/onePlayer/onePlayer.tsx").then(({ OnePlayer }) => OnePlayer)),
  loadedOnDemand(() => import("./player/seasons/seasons.tsx").then(({ Seasons }) => Seasons)),
  loadedOnDemand(() => import("./player/seasons/oneSeason.tsx").then(({ OneSeason }) => OneSeason)),
  loadedOnDemand(() => import("./staff/gm.tsx").then(({ Gm }) => Gm)),
  loadedOnDemand(() => import("./staff/live/screen/gm-screen.tsx").then(({ Screen }) => Screen)),
];

/** A page for everybody; players and game masters have their navigation. */
const forEverybody = (Page: ComponentType): ComponentType => {
  const [Players, Open] = [requireSession(Page), open(Page)];
  return () => (sessionState.value === "active" ? <Players /> : <Open />);
};

/** A page for players; who has no session sees it if the service lets them, and is asked to log in otherwise. */
const forVisitors = (Page: ComponentType): ComponentType => {
  const [Players, Open] = [requireSession(Page), open(Page)];
  return () => (sessionState.value === "anonymous" ? <Open /> : <Players />);
};

const ROUTES: readonly (readonly [path: string, Page: ComponentType])[] = [
  [paths.landing, open(Landing)],
  [paths.join, open(Join)],
  [paths.login, open(Login)],
  [paths.recover, open(Recover)],
  [paths.rules, forEverybody(Rules)],
  [paths.waiver, requireSession(Waiver)],
  [paths.setUp, open(SetUp)],
  [paths.confirm, open(Confirm)],
  [paths.unsubscribe, open(Unsubscribe)],
  [paths.forgotten, open(Forgotten)],
  [paths.me, requireSession(Me)],
  [paths.tag, requireSession(Tag)],
  [paths.feed, requireSession(Feed)],
  [paths.board, requireSession(Board)],
  [paths.checkpoint, requireSession(CheckpointPage)],
  [paths.inbox, requireSession(Inbox)],
  [paths.missions, requireSession(Missions)],
  [paths.profile, requireSession(Profile)],
  [paths.outbreak, requireSession(Outbreak)],
  [paths.players, requireSession(Players)],
  [paths.player(":ref"), requireSession(OnePlayer)],
  [paths.seasons, forVisitors(Seasons)],
  [paths.season(":id"), forVisitors(OneSeason)],
  [paths.gmPage(":page*"), requireSession(Gm, StaffOnly)],
  [paths.screen, open(Screen)],
];

export const App = () => (
  <LocationProvider>
    <Router>
      {ROUTES.map(([path, Page]) => (
        <Route key={path} path={path} component={Page} />
      ))}
      <Route default component={NotFound} />
    </Router>
    <BusyNote />
  </LocationProvider>
);
