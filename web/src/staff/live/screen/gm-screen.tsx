/** The big screen: needs no login, prevents the display from sleeping, and shows cached data while offline. */
import { Maximize } from "lucide";
import { useEffect, useState } from "preact/hooks";
import { counterOf, LIVING } from "../../../../../lib/domain/players/states.ts";
import { APP, paths } from "../../../paths.ts";
import { type PublicGame, readPublicGame } from "../../../state/api.ts";
import { instant, isPublicGame, shape } from "../../../state/shapes.ts";
import { readStored, writeStored } from "../../../state/stored.ts";
import { en } from "../../../text/en.ts";
import { screenTexts } from "../../../text/screenTexts.ts";
import { countdownEnd, situationText, situationTitle } from "../../../text/situation.ts";
import { countdownText, timeText } from "../../../text/times.ts";
import { Button } from "../../../ui/button.tsx";
import { Qr } from "../../../ui/camera/qr.tsx";
import { Chart } from "../../../ui/chart.tsx";
import { Counts } from "../../../ui/counts.tsx";
import { Crowd } from "../../../ui/crowd.tsx";
import { EventRow, latestFirst } from "../../../ui/event.tsx";
import { Avatar } from "../../../ui/player.tsx";
import { playersOrigin } from "../../ui/address.tsx";
import "./gm-screen.css";

const POLL_MS = 15_000;
const MINUTE_MS = 60_000;
const LIST_LIMIT = 7;

/** Holds a screen wake lock while the page is visible, and reacquires it because the system may release it at any time. */
const useWakeLock = (): void =>
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    const acquire = async (): Promise<void> => {
      const isHeld = lock !== undefined && !lock.released;
      if (document.visibilityState === "visible" && !isHeld)
        lock = await navigator.wakeLock?.request("screen");
    };
    const acquireIfNeeded = (): void => void acquire().catch(() => {});
    acquireIfNeeded();
    const timer = setInterval(acquireIfNeeded, MINUTE_MS);
    document.addEventListener("visibilitychange", acquireIfNeeded);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", acquireIfNeeded);
      void lock?.release();
    };
  }, []);

/** The game, and when it was read, in milliseconds since 1970. */
interface CachedGame {
  game: PublicGame;
  at: number;
}

const STORAGE_KEY = "screen";

const isCachedGame = shape<CachedGame>({ game: isPublicGame, at: instant });
const loadCachedGame = (): CachedGame | null => readStored(STORAGE_KEY, isCachedGame);

/** Polls the game, and caches it in local storage for a restart of the browser. Keeps polling after errors. */
const useGame = (): { cached: CachedGame | null; isOffline: boolean } => {
  const [cached, setCached] = useState(loadCachedGame);
  const [isOffline, setOffline] = useState(false);
  useEffect(() => {
    const load = (): void =>
      void readPublicGame().then(
        (game) => {
          const read = { game, at: Date.now() };
          setCached(read);
          // The response may come from the HTTP cache, which keeps it for 30 seconds.
          setOffline(!navigator.onLine);
          writeStored(STORAGE_KEY, read);
        },
        () => setOffline(true),
      );
    load();
    const timer = setInterval(load, POLL_MS);
    addEventListener("online", load);
    addEventListener("offline", load);
    return () => {
      clearInterval(timer);
      removeEventListener("online", load);
      removeEventListener("offline", load);
    };
  }, []);
  return { cached, isOffline };
};

/** Fetches the page's assets again once the service worker controls the page, so that it caches them. */
const cacheAssets = async (): Promise<void> => {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) return;
  if (serviceWorker.controller === null)
    await new Promise((resolve) =>
      serviceWorker.addEventListener("controllerchange", resolve, { once: true }),
    );
  const loaded = performance.getEntriesByType("resource").map(({ name }) => name);
  await Promise.all(loaded.filter((name) => name.includes(`${APP}assets/`)).map((name) => fetch(name)));
};

/** Returns the device's time, updated at an interval. */
const useClock = (intervalMs: number): number => {
  const [at, setAt] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setAt(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return at;
};

/** What comes next, with a countdown if it happens by itself. */
const Next = ({ game }: { game: PublicGame }) => {
  const at = useClock(1_000);
  const left = ((countdownEnd(game) ?? 0) - at) / 1_000;
  return (
    <p class="screen-clock">
      <span>{situationText(game, at)}</span>
      {left <= 0 ? null : (
        <strong class="number" role="timer">
          {countdownText(left)}
        </strong>
      )}
    </p>
  );
};

const FullScreen = () => {
  const [isFull, setFull] = useState(false);
  useEffect(() => {
    const update = (): void => setFull(document.fullscreenElement !== null);
    document.addEventListener("fullscreenchange", update);
    return () => document.removeEventListener("fullscreenchange", update);
  }, []);
  if (isFull || !document.fullscreenEnabled) return null;
  return (
    <Button
      text={screenTexts.full}
      icon={Maximize}
      kind="quiet"
      onClick={() => void document.documentElement.requestFullscreen().catch(() => {})}
    />
  );
};

const Sides = ({ counts }: Pick<PublicGame, "counts">) => (
  <section class="sides-big">
    <div class="balance" aria-hidden="true">
      {LIVING.map((state) => (
        <span key={state} data-state={state} style={{ flexGrow: counts[counterOf(state)] }} />
      ))}
    </div>
    <Counts counts={counts} />
  </section>
);

const JoinCode = () => {
  const origin = playersOrigin();
  return origin === null ? null : (
    <figure class="screen-join">
      <Qr text={`${origin}${paths.join}`} label={screenTexts.qr} />
      <figcaption>{screenTexts.join}</figcaption>
    </figure>
  );
};

type Board = NonNullable<PublicGame["board"]>;

const Feed = ({ interactions, at }: Pick<Board, "interactions"> & { at: number }) => (
  <section>
    <h2>{en.feed.title}</h2>
    {interactions.length === 0 ? <p class="muted">{en.feed.empty}</p> : null}
    <ol class="screen-feed">
      {latestFirst(interactions)
        .slice(0, LIST_LIMIT)
        .map((event) => (
          <EventRow key={event.interaction_id} event={event} at={at} />
        ))}
    </ol>
  </section>
);

const Leaders = ({ leaderboard }: Pick<Board, "leaderboard">) => (
  <section>
    <h2>{en.board.title}</h2>
    {leaderboard.length === 0 ? <p class="muted">{en.board.of.kills.empty}</p> : null}
    <ol>
      {leaderboard.slice(0, LIST_LIMIT).map((player) => (
        <li key={player.player_ref} class="row">
          <Avatar player={player} size={72} />
          <p class="grow">{player.alias}</p>
          <strong class="number">{player.kills}</strong>
        </li>
      ))}
    </ol>
  </section>
);

const Dashboard = ({ cached, isOffline }: { cached: CachedGame; isOffline: boolean }) => {
  const at = useClock(MINUTE_MS);
  const { name, phase, counts, board, registration } = cached.game;
  return (
    <>
      <header class="screen-head">
        <div>
          <h1>{name}</h1>
          <p>
            {situationTitle(cached.game)}
            <FullScreen />
          </p>
        </div>
        <Next game={cached.game} />
      </header>
      {isOffline ? (
        <p class="offline" role="status">
          {screenTexts.offline(timeText(cached.at, at))}
        </p>
      ) : null}
      <Sides counts={counts} />
      <div class="screen-columns">
        <section class="screen-outbreak">
          <Crowd counts={counts} label={screenTexts.swarm} />
          {board === null || board.history.length < 2 ? null : <Chart points={board.history} now={at} />}
        </section>
        {board === null ? (
          <p class="muted">{screenTexts.noBoard}</p>
        ) : (
          <>
            <Feed interactions={board.interactions} at={at} />
            <Leaders leaderboard={board.leaderboard} />
          </>
        )}
        {registration === "closed" || phase === "ended" ? null : <JoinCode />}
      </div>
    </>
  );
};

export const Screen = () => {
  const { cached, isOffline } = useGame();
  useWakeLock();
  useEffect(() => void cacheAssets().catch(() => {}), []);
  return (
    <main class="screen">
      {cached === null ? (
        <h1>{isOffline ? screenTexts.connecting : en.title}</h1>
      ) : (
        <Dashboard cached={cached} isOffline={isOffline} />
      )}
    </main>
  );
};
