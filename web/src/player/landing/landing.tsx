/** The landing page: what the game is, its current state, and links to join or log in. */
import { Biohazard, BookOpen, Footprints, History, Utensils } from "lucide";
import { useCallback, useEffect, useState } from "preact/hooks";
import { inPlay } from "../../../../lib/domain/players/spiral.ts";
import { TAKING_PART } from "../../../../lib/domain/players/states.ts";
import { paths } from "../../paths.ts";
import { api, type PublicGame, readPublicOnce } from "../../state/api.ts";
import { usePages, useValue } from "../../state/resource.ts";
import { sessionState } from "../../state/session.ts";
import { en, numberText } from "../../text/en.ts";
import { countdownEnd, situationText, situationTitle } from "../../text/situation.ts";
import { setGameZone } from "../../text/times.ts";
import { ButtonLink } from "../../ui/button.tsx";
import { Chart, type ChartPoint } from "../../ui/chart.tsx";
import { Counts } from "../../ui/counts.tsx";
import { Crowd } from "../../ui/crowd.tsx";
import { EventRow, latestFirst } from "../../ui/event.tsx";
import { ErrorNote, Skeleton } from "../../ui/feedback.tsx";
import { Icon } from "../../ui/icon.tsx";
import { Later } from "../../ui/layout/later.tsx";
import { Avatar } from "../../ui/player.tsx";
import "./landing.css";

const ICONS = [Footprints, Biohazard, Utensils] as const;

/** The number of events and of players on the public board. */
const LIST_LIMIT = 6;

/** Returns the device's time, updated every second. Without a session the service's clock is unknown. */
const useDeviceClock = (): number => {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  return now;
};

/** What comes next, with a countdown if it happens by itself. */
const Next = ({ game }: { game: PublicGame }) => {
  const now = useDeviceClock();
  const at = countdownEnd(game);
  const text = <p class="muted">{situationText(game, now)}</p>;
  if (at === null) return text;
  const seconds = Math.max(0, Math.floor((at - now) / 1_000));
  const parts = [
    [Math.floor(seconds / 86_400), en.landing.days],
    [Math.floor(seconds / 3_600) % 24, en.landing.hours],
    [Math.floor(seconds / 60) % 60, en.landing.minutes],
    [seconds % 60, en.landing.seconds],
  ] as const;
  return (
    <section class="landing-countdown" aria-label={en.landing.countdown}>
      {text}
      <p class="landing-clock number" role="timer">
        {parts.map(([value, unit]) => (
          <span key={unit}>
            <strong>{String(value).padStart(2, "0")}</strong>
            <span class="muted">{unit}</span>
          </span>
        ))}
      </p>
    </section>
  );
};

/** Reads the counts over time, which are for players unless the board is public; `null` while they are loading. */
const useHistory = (game: PublicGame | undefined): readonly ChartPoint[] | null => {
  const isPlayer = sessionState.value === "active";
  const isPublic = game?.board != null;
  const read = useCallback(async () => {
    if (isPublic || !isPlayer) return [];
    const statistics = await api.get("/interactions/stats/{url_id}").catch(() => null);
    return statistics?.points ?? [];
  }, [isPlayer, isPublic]);
  const own = useValue(read);
  return game?.board?.history ?? own;
};

const EntryLinks = ({ game }: { game: PublicGame | undefined }) => {
  if (sessionState.value === "active")
    return <ButtonLink text={en.landing.open} kind="primary" href={paths.me} />;
  return (
    <>
      {game?.phase === "ended" ? null : game?.registration === "closed" ? (
        <p class="muted">{en.landing.closed}</p>
      ) : (
        <ButtonLink text={en.landing.join} kind="primary" href={paths.join} />
      )}
      <ButtonLink text={en.landing.login} href={paths.login} />
    </>
  );
};

const Board = ({ board }: { board: NonNullable<PublicGame["board"]> }) => {
  const now = Date.now();
  const { interactions } = board;
  // The board also has those whose tags do not show, or were voided.
  const leaders = board.leaderboard.filter(({ kills }) => kills > 0);
  return (
    <section class="landing-board">
      {interactions.length === 0 ? null : (
        <div class="card">
          <h2>{en.landing.latest}</h2>
          <ul class="list">
            {latestFirst(interactions)
              .slice(0, LIST_LIMIT)
              .map((event) => (
                <EventRow key={event.interaction_id} event={event} at={now} />
              ))}
          </ul>
        </div>
      )}
      {leaders.length === 0 ? null : (
        <div class="card">
          <h2>{en.landing.best}</h2>
          <ul class="list">
            {leaders.slice(0, LIST_LIMIT).map((player) => (
              <li key={player.player_ref} class="row">
                <Avatar player={player} />
                <span class="grow">{player.alias}</span>
                <strong class="number">{en.counts.kills(player.kills)}</strong>
              </li>
            ))}
          </ul>
        </div>
      )}
    </section>
  );
};

const readSeasons = async () => (await api.get("/seasons")).seasons;

/** Leads to past seasons, if the game shows them to everybody and there is one. */
const PastSeasons = () => {
  const seasons = useValue(readSeasons) ?? [];
  return seasons.length === 0 ? null : (
    <ButtonLink text={en.landing.seasons} icon={History} href={paths.seasons} />
  );
};

const Rules = () => (
  <section class="landing-rules">
    <h2>{en.landing.how}</h2>
    <ol>
      {en.landing.rules.map(([title, text], at) => (
        <li key={title} class="card" data-state={TAKING_PART[at]}>
          <Icon of={ICONS[at] ?? Footprints} size={28} />
          <h3>{title}</h3>
          <p class="muted">{text}</p>
        </li>
      ))}
    </ol>
    <ButtonLink text={en.landing.fullRules} icon={BookOpen} href={paths.rules} />
  </section>
);

export const Landing = () => {
  const { items, error, isLoading, reload } = usePages(readPublicOnce, "game");
  const [game] = items;
  if (game !== undefined) setGameZone(game.time_zone);
  const board = game?.board;
  const history = useHistory(game);
  if (game === undefined && isLoading)
    return (
      <main class="landing">
        <Skeleton />
      </main>
    );
  return (
    <main class="landing">
      <header class="landing-hero">
        <div class="landing-words">
          {game === undefined ? null : <span class="badge landing-phase">{situationTitle(game)}</span>}
          <h1>{game?.name ?? en.title}</h1>
          <p class="landing-lead">{game?.description ?? en.landing.lead}</p>
          <div class="landing-ways">
            <EntryLinks game={game} />
          </div>
          {game === undefined ? <ErrorNote error={error} onRetry={reload} /> : <Next game={game} />}
        </div>
        <figure class="landing-figure">
          <Crowd counts={game?.counts} />
          <figcaption class="muted">
            {game === undefined || inPlay(game.counts) === 0
              ? en.landing.dots
              : en.landing.players(numberText(inPlay(game.counts)))}
          </figcaption>
        </figure>
      </header>
      {/* Below the fold: each part is rendered when the browser is idle. */}
      {game === undefined ? null : (
        <Later>
          {() => (
            <section class="card stack">
              <h2>{en.chart.label}</h2>
              <Counts counts={game.counts} />
              {history === null ? <div class="chart-wait" /> : null}
              {history !== null && history.length > 1 ? <Chart points={history} now={Date.now()} /> : null}
            </section>
          )}
        </Later>
      )}
      {board ? <Later>{() => <Board board={board} />}</Later> : null}
      <Later>{() => <Rules />}</Later>
      {board ? <Later>{() => <PastSeasons />}</Later> : null}
    </main>
  );
};
