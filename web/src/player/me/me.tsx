/** The player's own page: what they are, what is next, the numbers, and the history. */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { useLocation } from "preact-iso";
import { inPlay } from "../../../../lib/domain/players/spiral.ts";
import { paths } from "../../paths.ts";
import { api } from "../../state/api.ts";
import { useSubmit } from "../../state/resource.ts";
import { isFresh, now, refresh, type Snapshot, snapshot } from "../../state/session.ts";
import { en, numberText } from "../../text/en.ts";
import { isBeforePlay, situationText, situationTitle } from "../../text/situation.ts";
import { timeText } from "../../text/times.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ErrorNote, OfflineNote, Skeleton } from "../../ui/feedback.tsx";
import { Later } from "../../ui/layout/later.tsx";
import { loadedOnDemand } from "../../ui/layout/loadedOnDemand.tsx";
import { Offers } from "../../ui/layout/offers.tsx";
import { History, useOwnHistory } from "../history/history.tsx";
import { ReportTagged } from "../tag/reportTagged.tsx";
import { Hero } from "./hero.tsx";
import { NextThings } from "./nextThings.tsx";
import "./me.css";

const DAY_MS = 86_400_000;

/** Lets a spectator join the game. Not offered to game masters, most of whom run the game without playing. */
const Enrol = () => {
  const form = useSubmit(async () => {
    await api.post("/player/enrol/{url_id}");
    await refresh();
  });
  return (
    <form class="stack" onSubmit={form.submit}>
      <p class="muted">{en.me.enrolText}</p>
      <ErrorNote error={form.error} />
      <Button text={en.me.enrol} kind="primary" type="submit" disabled={form.isSending} />
    </form>
  );
};

/** What the player does most. */
const MainAction = ({ current: { player, game }, at }: { current: Snapshot; at: number }) => {
  const { state, pending, role } = player;
  if (state === "human")
    return game.in_play ? <ReportTagged window={game.report_window_seconds} at={at} /> : null;
  if (state === "spectator" && game.phase !== "ended" && !pending && role !== "game_master") return <Enrol />;
  const [text, href] =
    state === "zombie" ? ([en.me.tag, paths.tag] as const) : ([en.me.watch, paths.outbreak] as const);
  return (
    <div class="main-action">
      <ButtonLink text={text} kind="primary" href={href} />
    </div>
  );
};

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd class="muted number">{children}</dd>
  </div>
);

const Facts = ({ current: { player, game }, at }: { current: Snapshot; at: number }) => {
  const { kills, state, infected_at, infected_by, infected_by_hidden, last_fed_at, points } = player;
  const { humans } = game.counts;
  const all = inPlay(game.counts);
  return (
    <dl class="facts">
      <Fact name={en.me.humansLeft}>{en.me.of(numberText(humans), numberText(all))}</Fact>
      {state === "human" && all > humans ? (
        <Fact name={en.me.outlived}>{en.me.percent(Math.round((100 * (all - humans)) / all))}</Fact>
      ) : null}
      {state !== "zombie" && kills === 0 ? null : <Fact name={en.me.kills}>{numberText(kills)}</Fact>}
      {points > 0 ? <Fact name={en.prizes.points}>{numberText(points)}</Fact> : null}
      {infected_at === null ? null : (
        <>
          <Fact name={en.me.since}>{timeText(Date.parse(infected_at), at)}</Fact>
          <Fact name={en.me.by}>{infected_by ?? (infected_by_hidden ? en.me.hidden : en.me.nobody)}</Fact>
        </>
      )}
      {state === "zombie" && last_fed_at !== null ? (
        <Fact name={en.me.fed}>{timeText(Date.parse(last_fed_at), at)}</Fact>
      ) : null}
    </dl>
  );
};

/** Returns sentences on what the player can do now. */
const adviceFor = ({ player, game }: Snapshot): readonly string[] => {
  const { state } = player;
  if (state !== "human" && state !== "zombie") return en.me.advice[state];
  if (isBeforePlay(game)) return [en.me.advice.prepare];
  if (game.phase === "ended") return [];
  const window = en.me.advice.window(game.report_window_seconds);
  if (state === "human") return [...en.me.advice.human];
  const sharing = game.sharers > 0 ? [en.me.advice.share(game.sharers)] : [];
  return [...en.me.advice.zombie, ...sharing, window];
};

/** Since when the player has been what they are, in milliseconds since 1970. */
const stateSince = ({ player, game }: Snapshot): number => {
  const { state, infected_at, created_at } = player;
  if (state === "zombie" && infected_at !== null) return Date.parse(infected_at);
  return Math.max(Date.parse(created_at), Date.parse(game.starts_at ?? created_at));
};

/** What somebody can do who has been on their side for less than a day. */
const Advice = ({ current, at }: { current: Snapshot; at: number }) => {
  const advice = adviceFor(current);
  if (advice.length === 0 || at - stateSince(current) > DAY_MS) return null;
  return (
    <section class="stack">
      <h2>{en.me.now}</h2>
      <ul class="advice">
        {advice.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ul>
    </section>
  );
};

/** Whether this page has led to the waiver, which it does once at each opening. */
let hasAsked = false;

const Own = ({ current, at }: { current: Snapshot; at: number }) => {
  const { player, game } = current;
  const pages = useOwnHistory();
  const { route } = useLocation();
  useEffect(() => {
    // The game may have ended since the visit before.
    if (player.must_sign !== true || hasAsked || !isFresh.value) return;
    hasAsked = true;
    route(paths.waiver);
  }, [player.must_sign, isFresh.value]);
  return (
    <main class="page stack me">
      <Hero current={current} events={pages.items} at={at} />
      <MainAction current={current} at={at} />
      <OfflineNote />
      <NextThings current={current} events={pages.items} at={at} />
      <Offers />
      <Advice current={current} at={at} />
      <Later fallback={<Skeleton />}>
        {() => (
          <>
            <section>
              <h2>{situationTitle(game)}</h2>
              <p class="muted">{situationText(game, at)}</p>
              <Facts current={current} at={at} />
            </section>
            <History player={player} pages={pages} at={at} />
          </>
        )}
      </Later>
    </main>
  );
};

const Ended = loadedOnDemand(() => import("../ended/ended.tsx").then(({ Ended }) => Ended));

export const Me = () => {
  const current = snapshot.value;
  const at = now.value;
  if (current === null || at === null) return <Skeleton />;
  return current.game.phase === "ended" ? <Ended /> : <Own current={current} at={at} />;
};
