/** The routes and the layout of players' pages. */
import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { LocationProvider, Route, Router, useLocation } from "preact-iso";
import { Board } from "./player/board/board.tsx";
import { CheckpointPage } from "./player/checkpoint/checkpoint.tsx";
import { Join, Login, Recover } from "./player/enter/enter.tsx";
import { Feed } from "./player/feed/feed.tsx";
import { Inbox } from "./player/inbox/inbox.tsx";
import { Landing } from "./player/landing/landing.tsx";
import { Me } from "./player/me/me.tsx";
import { Profile } from "./player/profile/profile.tsx";
import { Tag } from "./player/tag/tag.tsx";
import { GameError } from "./state/api.ts";
import { isOffline, restoreSession, sessionState, snapshot, startPolling } from "./state/session.ts";
import { en } from "./text/en.ts";
import { BusyNote, ErrorNote, Skeleton } from "./ui/feedback.tsx";
import { Guarded } from "./ui/layout/guarded.tsx";
import { loadedOnDemand } from "./ui/layout/loadedOnDemand.tsx";
import { PlayerNav } from "./ui/layout/nav.tsx";
import "./app.css";

const Frame = ({ children }: { children: ComponentChildren }) => {
  useEffect(startPolling, []);
  return (
    <div class="frame" data-state={snapshot.value?.player.state}>
      <PlayerNav />
      {children}
    </div>
  );
};

const UNREACHABLE = new GameError("The service cannot be reached.", {});

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
      if (state === "anonymous") route(`/app/login?to=${encodeURIComponent(url)}`, true);
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
        <p class="muted">{en.staff.text}</p>
        <a class="button" href="/app/me">
          {en.staff.back}
        </a>
      </main>
    </Frame>
  ) : (
    children
  );

const MePage = requireSession(Me);
const TagPage = requireSession(Tag);
const FeedPage = requireSession(Feed);
const BoardPage = requireSession(Board);
const Checkpoint = requireSession(CheckpointPage);
const InboxPage = requireSession(Inbox);
const ProfilePage = requireSession(Profile);
const OutbreakPage = requireSession(
  loadedOnDemand(() => import("./player/outbreak/outbreak.tsx").then(({ Outbreak }) => Outbreak)),
);
const PlayersPage = requireSession(
  loadedOnDemand(() => import("./player/players/players.tsx").then(({ Players }) => Players)),
);
const PlayerPage = requireSession(
  loadedOnDemand(() => import("./player/onePlayer/onePlayer.tsx").then(({ OnePlayer }) => OnePlayer)),
);
const GmPage = requireSession(
  loadedOnDemand(() => import("./staff/gm.tsx").then(({ Gm }) => Gm)),
  StaffOnly,
);
/** A page without a session. */
const open = (Page: ComponentType) => () => (
  <Guarded>
    <Page />
  </Guarded>
);
const [LandingPage, JoinPage, LoginPage, RecoverPage] = [
  open(Landing),
  open(Join),
  open(Login),
  open(Recover),
];
/** The big screen, which needs no login. */
const Screen = open(
  loadedOnDemand(() => import("./staff/live/screen/gm-screen.tsx").then(({ Screen }) => Screen)),
);

export const App = () => (
  <LocationProvider>
    <Router>
      <Route path="/" component={LandingPage} />
      <Route path="/app/join" component={JoinPage} />
      <Route path="/app/login" component={LoginPage} />
      <Route path="/app/recover" component={RecoverPage} />
      <Route path="/app/me" component={MePage} />
      <Route path="/app/tag" component={TagPage} />
      <Route path="/app/feed" component={FeedPage} />
      <Route path="/app/board" component={BoardPage} />
      <Route path="/app/checkpoint" component={Checkpoint} />
      <Route path="/app/inbox" component={InboxPage} />
      <Route path="/app/profile" component={ProfilePage} />
      <Route path="/app/outbreak" component={OutbreakPage} />
      <Route path="/app/players" component={PlayersPage} />
      <Route path="/app/players/:ref" component={PlayerPage} />
      <Route path="/app/gm/:page*" component={GmPage} />
      <Route path="/app/screen" component={Screen} />
      <Route default component={LandingPage} />
    </Router>
    <BusyNote />
  </LocationProvider>
);
