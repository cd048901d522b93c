/** The game on a big screen: it needs no login, stays awake, and keeps the last known state without a network. */
import { useEffect, useState } from "preact/hooks";
import { type PublicGame, readPublicGame } from "../api.ts";
import { en } from "../en.ts";
import { agoText, countdownText } from "../times.ts";
import { Counts } from "../ui/counts.tsx";
import { eventText, stateAfter } from "../ui/event.tsx";
import { Avatar } from "../ui/player.tsx";
import { Qr } from "../ui/qr.tsx";
import { screenTexts } from "./screenTexts.ts";
import "./gm-screen.css";

const POLL_MS = 15_000;
const SHOWN = 7;

/** Keeps the screen on while the page is visible; not every browser can. */
const useWakeLock = (): void =>
  useEffect(() => {
    let lock: WakeLockSentinel | undefined;
    const hold = async (): Promise<void> => {
      if (document.visibilityState === "visible") lock = await navigator.wakeLock?.request("screen");
    };
    const again = (): void => void hold().catch(() => {});
    again();
    document.addEventListener("visibilitychange", again);
    return () => {
      document.removeEventListener("visibilitychange", again);
      void lock?.release();
    };
  }, []);

const useGame = (): { game: PublicGame | null; isOffline: boolean } => {
  const [game, setGame] = useState<PublicGame | null>(null);
  const [isOffline, setOffline] = useState(false);
  useEffect(() => {
    const load = (): void =>
      void readPublicGame().then(
        (read) => {
          setGame(read);
          setOffline(false);
        },
        () => setOffline(true),
      );
    load();
    const timer = setInterval(load, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  return { game, isOffline };
};

/** The time, every second. */
const useClock = (): number => {
  const [at, setAt] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setAt(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return at;
};

const Sides = ({ counts }: Pick<PublicGame, "counts">) => (
  <section class="sides-big">
    <div class="balance" aria-hidden="true">
      <span data-state="human" style={{ flexGrow: counts.humans }} />
      <span data-state="zombie" style={{ flexGrow: counts.zombies }} />
    </div>
    <Counts counts={counts} />
  </section>
);

const JoinCode = () => (
  <figure class="screen-join">
    <Qr text={`${location.origin}/app/join`} label={screenTexts.qr} />
    <figcaption>{screenTexts.join}</figcaption>
  </figure>
);

const Shown = ({ game, isOffline }: { game: PublicGame; isOffline: boolean }) => {
  const at = useClock();
  const { name, phase, in_play, next_change_at, counts, board, registration } = game;
  const left = next_change_at === null ? null : (Date.parse(next_change_at) - at) / 1_000;
  return (
    <>
      <header class="screen-head">
        <div>
          <h1>{name}</h1>
          <p>
            {en.phase[phase]}
            {isOffline ? ` · ${screenTexts.offline}` : ""}
          </p>
        </div>
        {left === null || left <= 0 ? null : (
          <p class="screen-clock">
            <span>{in_play ? en.me.closes : en.me.opens}</span>
            <strong class="number" role="timer">
              {countdownText(left)}
            </strong>
          </p>
        )}
      </header>
      <Sides counts={counts} />
      <div class="screen-columns">
        {board === null ? (
          <p class="muted">{screenTexts.noBoard}</p>
        ) : (
          <>
            <section>
              <h2>{en.feed.title}</h2>
              {board.interactions.length === 0 ? <p class="muted">{en.feed.empty}</p> : null}
              <ol>
                {board.interactions.slice(0, SHOWN).map((event) => (
                  <li key={event.interaction_id}>
                    <Avatar
                      player={{ alias: event.target ?? "·", state: stateAfter(event.kind) }}
                      size={72}
                    />
                    <p>{event.details.voided ? <s>{eventText(event)}</s> : eventText(event)}</p>
                    <time class="muted number">{agoText(Date.parse(event.at), at)}</time>
                  </li>
                ))}
              </ol>
            </section>
            <section>
              <h2>{en.board.title}</h2>
              {board.leaderboard.length === 0 ? <p class="muted">{en.board.empty}</p> : null}
              <ol>
                {board.leaderboard.slice(0, SHOWN).map((player) => (
                  <li key={player.player_ref}>
                    <Avatar player={player} size={72} />
                    <p>{player.alias}</p>
                    <strong class="number">{player.kills}</strong>
                  </li>
                ))}
              </ol>
            </section>
          </>
        )}
        {registration === "closed" || phase === "ended" ? null : <JoinCode />}
      </div>
    </>
  );
};

export const Screen = () => {
  const { game, isOffline } = useGame();
  useWakeLock();
  return (
    <main class="screen" data-state="zombie">
      {game === null ? (
        <h1>{isOffline ? screenTexts.offline : en.title}</h1>
      ) : (
        <Shown game={game} isOffline={isOffline} />
      )}
    </main>
  );
};
