/** The routes, and the frame around the pages of a player. */
import { Biohazard, ClipboardList, Crosshair, Inbox as InboxIcon, Rss, Trophy, User } from "lucide";
import { type ComponentChildren, type ComponentType, Fragment } from "preact";
import { useEffect } from "preact/hooks";
import { LocationProvider, Route, Router, useLocation } from "preact-iso";
import { en } from "./en.ts";
import { Board } from "./pages/board.tsx";
import { Join, Login } from "./pages/enter.tsx";
import { Feed } from "./pages/feed.tsx";
import { Inbox } from "./pages/inbox.tsx";
import { Landing } from "./pages/landing.tsx";
import { Me } from "./pages/me.tsx";
import { Profile } from "./pages/profile.tsx";
import { Tag } from "./pages/tag.tsx";
import { poll, sessionState, snapshot } from "./session.ts";
import { Skeleton } from "./ui/feedback.tsx";
import { Icon } from "./ui/icon.tsx";
import { loadedOnDemand } from "./ui/loadedOnDemand.tsx";
import "./app.css";

const PAGES = [
  { path: "/app/me", text: en.nav.me, icon: Biohazard },
  { path: "/app/tag", text: en.nav.tag, icon: Crosshair },
  { path: "/app/feed", text: en.nav.feed, icon: Rss },
  { path: "/app/board", text: en.nav.board, icon: Trophy },
  { path: "/app/inbox", text: en.nav.inbox, icon: InboxIcon },
  { path: "/app/profile", text: en.nav.profile, icon: User },
] as const;

/** The way to the pages of those who run the game. */
const GM = { path: "/app/gm", text: en.nav.gm, icon: ClipboardList };

const pages = () => (snapshot.value?.player.role === "player" ? PAGES : [GM, ...PAGES]);

const Frame = ({ children }: { children: ComponentChildren }) => {
  const { path } = useLocation();
  useEffect(poll, []);
  return (
    <div class="frame" data-state={snapshot.value?.player.state}>
      <nav class="nav" aria-label={en.nav.label}>
        {pages().map((page) => (
          <a key={page.path} href={page.path} aria-current={path === page.path ? "page" : undefined}>
            <Icon of={page.icon} />
            {page.text}
          </a>
        ))}
      </nav>
      {children}
    </div>
  );
};

/** A page for players only: others are sent to the login, and return afterwards. */
const forPlayers =
  (Page: ComponentType, Around: ComponentType<{ children: ComponentChildren }> = Frame) =>
  () => {
    const { url, route } = useLocation();
    const state = sessionState.value;
    useEffect(() => {
      if (state === "anonymous") route(`/app/login?to=${encodeURIComponent(url)}`, true);
    }, [state]);
    return state === "active" ? (
      <Around>
        <Page />
      </Around>
    ) : (
      <Skeleton />
    );
  };

const MePage = forPlayers(Me);
const TagPage = forPlayers(Tag);
const FeedPage = forPlayers(Feed);
const BoardPage = forPlayers(Board);
const InboxPage = forPlayers(Inbox);
const ProfilePage = forPlayers(Profile);
const GmPage = forPlayers(
  loadedOnDemand(() => import("./gm/gm.tsx").then(({ Gm }) => Gm)),
  Fragment,
);
const Screen = loadedOnDemand(() => import("./gm/gm-screen.tsx").then(({ Screen }) => Screen));

export const App = () => (
  <LocationProvider>
    <Router>
      <Route path="/" component={Landing} />
      <Route path="/app/join" component={Join} />
      <Route path="/app/login" component={Login} />
      <Route path="/app/me" component={MePage} />
      <Route path="/app/tag" component={TagPage} />
      <Route path="/app/feed" component={FeedPage} />
      <Route path="/app/board" component={BoardPage} />
      <Route path="/app/inbox" component={InboxPage} />
      <Route path="/app/profile" component={ProfilePage} />
      <Route path="/app/gm/:page*" component={GmPage} />
      <Route path="/app/screen" component={Screen} />
      <Route default component={Landing} />
    </Router>
  </LocationProvider>
);
